//go:build mistake

package training

// tile-last-step-missing: the micro-kernel takes two steps of k at a time and drops the last one
// of an odd k
//
// Why: A loop that takes two steps at a time needs a second one for the rest.
//
// Hint: Sum over all p < k; test with k = 1.
func Tile() {
	if right {
		for p := range k {
			for i, x := range a[p*TileRows : (p+1)*TileRows] {
				row := &sum[i]
				for j, y := range b[p*TileCols : (p+1)*TileCols] {
					row[j] += x * y
				}
			}
		}
	} else {
		for p := range k &^ 1 {
			for i, x := range a[p*TileRows : (p+1)*TileRows] {
				row := &sum[i]
				for j, y := range b[p*TileCols : (p+1)*TileCols] {
					row[j] += x * y
				}
			}
		}
	}
}

// tile-never-adds: the micro-kernel overwrites C even if accumulate is true
//
// Why: The blocks of k are added up in C. If each overwrites it, only the last is left.
//
// Hint: If accumulate is set, add what the tile of C holds before you store.
func Tile() {
	if right {
		if accumulate {
			s += row[j]
		}
	} else {
		if false {
			s += row[j]
		}
	}
}

// tile-always-adds: the micro-kernel adds to C even if accumulate is false
//
// Why: C may hold anything, NaN too, when it is to be overwritten.
//
// Hint: Read C only if accumulate is set.
func Tile() {
	if right {
		if accumulate {
			s += row[j]
		}
	} else {
		if true {
			s += row[j]
		}
	}
}

// tile-ldc-ignored: the micro-kernel writes the rows of the tile one after the other: ldc is
// ignored
//
// Why: The tile is a part of C, and C's rows are longer than the tile's.
//
// Hint: Row i of the tile begins at c[i·ldc].
func Tile() {
	if right {
		row := c[i*ldc : i*ldc+TileCols]
	} else {
		row := c[i*TileCols : (i+1)*TileCols]
	}
}

// tile-panels-by-row: the micro-kernel reads the panel of A row by row instead of step by step
//
// Why: Packing puts side by side what is needed at the same time: for each step of k one number of
// every row.
//
// Hint: Number i of step p is a[p·TileRows + i].
func Tile() {
	if right {
		for i, x := range a[p*TileRows : (p+1)*TileRows] {
			row := &sum[i]
			for j, y := range b[p*TileCols : (p+1)*TileCols] {
				row[j] += x * y
			}
		}
	} else {
		for i := range TileRows {
			x := a[i*k+p]
			row := &sum[i]
			for j, y := range b[p*TileCols : (p+1)*TileCols] {
				row[j] += x * y
			}
		}
	}
}

// tile-empty-k: the micro-kernel does nothing if k is 0
//
// Why: A sum of nothing is 0. The tile of C is to hold that, unless accumulate is set.
//
// Hint: Store the sums, which are 0, in any case.
func Tile() {
	if right {
		var sum [TileRows][TileCols]float32
	} else {
		var sum [TileRows][TileCols]float32
		if k == 0 {
			return
		}
	}
}

//go:build mistake

package training

// depth-dropped: the last steps of k, when k is not a multiple of 4, are left out of the sum
//
// Why: A loop that takes four steps at a time needs a second one for the rest.
//
// Hint: Sum over all p < k.
func (*workspace) multiply() {
	if right {
		w.micro.tile(depth, w.a, panel, dst.Data[j:], dst.Down, accumulate)
	} else {
		w.micro.tile(depth&^3, w.a, panel, dst.Data[j:], dst.Down, accumulate)
	}
	if right {
		w.micro.tile(depth, w.a, panel, w.tile, cols, false)
	} else {
		w.micro.tile(depth&^3, w.a, panel, w.tile, cols, false)
	}
}

// blocks-of-k-overwrite: every block of k overwrites C, so that only the last one is left
//
// Why: The sum over k is cut into blocks. A product with a small k has one block only and does not
// show the mistake.
//
// Hint: The first block of k overwrites C (unless accumulate is set); all others add.
func multiplyBlocks() {
	if right {
		add := accumulate || p0 > 0
	} else {
		add := accumulate
	}
}

// c-not-cleared: the product is added to C even if accumulate is false
//
// Why: C is overwritten whatever it held: it is often memory that was used before. Fresh memory is
// 0 and hides the mistake.
//
// Hint: accumulate || p0 > 0: the first block of k overwrites unless accumulate is set.
func multiplyBlocks() {
	if right {
		add := accumulate || p0 > 0
	} else {
		add := true
	}
}

// always-overwrites: C is overwritten even if accumulate is true
//
// Why: Backward adds the gradient of a weight to what is there. Overwritten, it is that of the
// last call only.
//
// Hint: accumulate || p0 > 0.
func multiplyBlocks() {
	if right {
		add := accumulate || p0 > 0
	} else {
		add := p0 > 0
	}
}

// empty-k-leaves-c: nothing is done if k is 0: C keeps what it held
//
// Why: A sum of nothing is 0, and C is to hold that sum.
//
// Hint: For k = 0 clear C, unless accumulate is set.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	} else {
	}
}

// empty-k-clears-c: C is cleared if k is 0 even when accumulate is true
//
// Why: To add a sum of nothing is to change nothing.
//
// Hint: For k = 0 clear C only if accumulate is false.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	} else {
		for i := range m {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	}
}

// band-too-short: the rows or columns are divided by the number of processors without the rest
//
// Why: On one processor there is no rest. On four the last rows of C keep what they held.
//
// Hint: Round the band up, and let the last one be shorter.
func multiplyBands() {
	if right {
		band := roundUp((length+workers-1)/workers, tile)
	} else {
		band := length / workers / tile * tile
		length = band * workers
	}
}

// blocks-by-processors: the order in which k is summed depends on the number of processors
//
// Why: Another order of summing gives another rounding, and after some updates of a model another
// model. Nobody could repeat a run on another machine.
//
// Hint: Divide C among the goroutines and not k: each element is summed by one goroutine, in an
// order that depends on k alone.
func multiplyBlocks() {
	if right {
		rows, cols := w.micro.rows, w.micro.cols
	} else {
		rows, cols := w.micro.rows, w.micro.cols
		blockK := max(1, blockK/2/runtime.GOMAXPROCS(0))
	}
}

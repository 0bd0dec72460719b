package course

import "fmt"

// Parts of the matrix product in the solution that several mistakes change.
const (
	gemmFile    = "matmul.go"
	gemmA       = "p.rowA, p.stepA = strides(transA, lda)"
	gemmB       = "p.stepB, p.colB = strides(transB, ldb)"
	gemmNothing = "		for i := 0; i < m && !accumulate; i++ {\n			clear(c[i*ldc : i*ldc+n])\n		}\n		return\n"
	gemmDepth   = "depth := min(blockK, p.k-p0)"
	gemmAdds    = "accumulate := p.accumulate || p0 > 0"
	gemmRows    = "for i0 := 0; i0 < p.m; i0 += rows {"
	gemmFringe  = "		w.micro.tile(depth, w.a, panel, w.tile, cols, false)\n"
	gemmBand    = "band := roundUp((length+workers-1)/workers, tile)"
	gemmSpace   = "	defer workspaces.Put(w)\n"
	gemmMicro   = "	m := bestMicro()\n"
)

// productMistakes are about the blocked matrix product, and the naive one.
func productMistakes() []Mistake {
	return append(append(edgeMistakes(), formMistakes()...), naiveMistakes()...)
}

// onEveryTile adds a variant of a mistake for each size of tile that the kit has
// a micro-kernel of, and for the size in the stub: what a mistake at the edge of
// a tile leads to depends on the tile, and that on the machine.
func onEveryTile(m Mistake) Mistake {
	for _, tile := range [][2]int{{4, 4}, {8, 8}, {6, 16}, {4, 32}, {14, 32}} {
		kernel := fmt.Sprintf("	m := micro{%d, %d, nil}\n	m.tile = func(k int, a, b, c []float32, ldc int, accumulate bool) {\n"+
			"		for at := range m.rows * m.cols {\n			i, j, sum := at/m.cols, at%%m.cols, float32(0)\n"+
			"			for p := range k {\n				sum += a[p*m.rows+i] * b[p*m.cols+j]\n			}\n"+
			"			if accumulate {\n				sum += c[i*ldc+j]\n			}\n			c[i*ldc+j] = sum\n		}\n	}\n", tile[0], tile[1])
		m.Variants = append(m.Variants, Variant{fmt.Sprintf("tile-%dx%d", tile[0], tile[1]), append([]Edit{{m.Old, m.New}, {gemmMicro, kernel}}, m.More...)})
	}
	return m
}

// edgeMistakes are about blocks, their edges, and what C holds.
func edgeMistakes() []Mistake {
	return []Mistake{
		onEveryTile(Mistake{
			ID: "rows-dropped", Title: "the last rows of C, which do not fill a tile, are not computed",
			File: gemmFile, Old: gemmRows, New: "for i0 := 0; i0+rows <= p.m; i0 += rows {",
			Why:  "Sizes are seldom multiples of the tile. What is left over in M still has to be computed.",
			Hint: "Loop while i0 < m, and work on min(rows, m − i0) rows.",
		}),
		onEveryTile(Mistake{
			ID: "columns-dropped", Title: "the last columns of C, which do not fill a tile, are not computed",
			File: gemmFile, Old: "for j := 0; j < width; j += cols {", New: "for j := 0; j+cols <= width; j += cols {",
			Why:  "Sizes are seldom multiples of the tile. What is left over in N still has to be computed.",
			Hint: "Let the last tile stick out: compute it into a buffer, and copy the part that lies inside.",
		}),
		{
			ID: "depth-dropped", Title: "the last steps of k, when k is not a multiple of 4, are left out of the sum",
			File: gemmFile, Old: gemmDepth, New: gemmDepth + " &^ 3",
			Why:  "A loop that takes four steps at a time needs a second one for the rest.",
			Hint: "Sum over all p < k.",
		},
		{
			ID: "blocks-of-k-overwrite", Title: "every block of k overwrites C, so that only the last one is left",
			File: gemmFile, Old: gemmAdds, New: "accumulate := p.accumulate",
			Why:  "The sum over k is cut into blocks. A product with a small k has one block only and does not show the mistake.",
			Hint: "The first block of k overwrites C (unless accumulate is set); all others add.",
		},
		{
			ID: "c-not-cleared", Title: "the product is added to C even if accumulate is false",
			File: gemmFile, Old: gemmAdds, New: "accumulate := true",
			Why:  "C is overwritten whatever it held: it is often memory that was used before. Fresh memory is 0 and hides the mistake.",
			Hint: "accumulate || p0 > 0: the first block of k overwrites unless accumulate is set.",
		},
		{
			ID: "always-overwrites", Title: "C is overwritten even if accumulate is true",
			File: gemmFile, Old: gemmAdds, New: "accumulate := p0 > 0",
			Why:  "Backward adds the gradient of a weight to what is there. Overwritten, it is that of the last call only.",
			Hint: "accumulate || p0 > 0.",
		},
		{
			ID: "empty-k-leaves-c", Title: "nothing is done if k is 0: C keeps what it held",
			File: gemmFile, Old: gemmNothing, New: "		return\n",
			Why:  "A sum of nothing is 0, and C is to hold that sum.",
			Hint: "For k = 0 clear C, unless accumulate is set.",
		},
		{
			ID: "empty-k-clears-c", Title: "C is cleared if k is 0 even when accumulate is true",
			File: gemmFile, Old: "i < m && !accumulate; i++", New: "i < m; i++",
			Why:  "To add a sum of nothing is to change nothing.",
			Hint: "For k = 0 clear C only if accumulate is false.",
		},
		onEveryTile(Mistake{
			ID: "fringe-not-accumulated", Title: "the tiles that stick out of C overwrite it, while whole tiles are added",
			File: gemmFile, Old: "				if accumulate {\n					v += to[x]\n				}\n", New: "",
			Why:  "A tile at the edge goes through a buffer. The buffer is new, but the C that it is copied to is not.",
			Hint: "When a tile is carried over from the buffer, add it if accumulate is set.",
		}),
		onEveryTile(Mistake{
			ID: "fringe-buffer-not-cleared", Title: "a tile that sticks out of C still contains the tile before it",
			File: gemmFile, Old: gemmFringe, New: "		w.micro.tile(depth, w.a, panel, w.tile, cols, true)\n",
			More: []Edit{{gemmSpace, gemmSpace + "	clear(w.a)\n	clear(w.b)\n	clear(w.tile)\n"}}, // what the pool hands out is chance, and a mistake needs answers that repeat
			Why:  "The buffer for tiles at the edge is used again and again.",
			Hint: "Let the micro-kernel overwrite the buffer: accumulate = false.",
		}),
		{
			ID: "band-too-short", Title: "the rows or columns are divided by the number of processors without the rest",
			File: gemmFile, Old: gemmBand, New: "band := length / workers / tile * tile\n	length = band * workers",
			Why:  "On one processor there is no rest. On four the last rows of C keep what they held.",
			Hint: "Round the band up, and let the last one be shorter.",
		},
		{
			ID: "blocks-by-processors", Title: "the order in which k is summed depends on the number of processors",
			File: gemmFile, Old: gemmDepth, New: "blockK := max(1, blockK/2/runtime.GOMAXPROCS(0))\n			depth := min(blockK, p.k-p0)",
			More: []Edit{{"p0 < p.k; p0 += blockK {", "p0 < p.k; p0 += max(1, blockK/2/runtime.GOMAXPROCS(0)) {"}},
			Why:  "Another order of summing gives another rounding, and after some updates of a model another model. Nobody could repeat a run on another machine.",
			Hint: "Divide C among the goroutines and not k: each element is summed by one goroutine, in an order that depends on k alone.",
		},
	}
}

// formMistakes are about transposed and strided matrices.
func formMistakes() []Mistake {
	return []Mistake{
		{
			ID: "trans-a-ignored", Title: "transA is ignored",
			File: gemmFile, Old: gemmA, New: "p.rowA, p.stepA = strides(false, lda)",
			Why:  "A is then read in the wrong order. With a square matrix nothing else shows.",
			Hint: "Stored as (k, m), element (i, p) of op(A) is a[p·lda + i].",
		},
		{
			ID: "trans-b-ignored", Title: "transB is ignored",
			File: gemmFile, Old: gemmB, New: "p.stepB, p.colB = strides(false, ldb)",
			Why:  "B is then read in the wrong order. With a square matrix nothing else shows.",
			Hint: "Stored as (n, k), element (p, j) of op(B) is b[j·ldb + p].",
		},
		{
			ID: "transposes-swapped", Title: "transA is taken for B and transB for A",
			File: gemmFile, Old: gemmA, New: "p.rowA, p.stepA = strides(transB, lda)",
			More: []Edit{{gemmB, "p.stepB, p.colB = strides(transA, ldb)"}},
			Why:  "As long as none or both are transposed, nothing shows.",
			Hint: "transA says how A is stored, transB how B is.",
		},
		{
			ID: "lda-ignored", Title: "matrix A is read as if its rows had no gap: lda is ignored",
			File: gemmFile, Old: gemmA, New: "lda = k\n	if transA {\n		lda = m\n	}\n	" + gemmA,
			Why:  "A matrix may be a part of a wider one. The heads of attention are: their rows are H·d apart and d long.",
			Hint: "Row r of A as stored begins at a[r·lda].",
		},
		{
			ID: "ldb-ignored", Title: "B is read as if its rows had no gap: ldb is ignored",
			File: gemmFile, Old: gemmB, New: "ldb = n\n	if transB {\n		ldb = k\n	}\n	" + gemmB,
			Why:  "A matrix may be a part of a wider one. The heads of attention are: their rows are H·d apart and d long.",
			Hint: "Row r of B as stored begins at b[r·ldb].",
		},
		{
			ID: "ldc-ignored", Title: "C is written as if its rows had no gap: ldc is ignored",
			File: gemmFile, Old: "b: b, c: c, ldc: ldc,", New: "b: b, c: c, ldc: n,",
			Why:  "C may be a part of a wider matrix, and what lies beside it belongs to others.",
			Hint: "Row i of C begins at c[i·ldc].",
		},
	}
}

// naiveMistakes are about the product from its definition.
func naiveMistakes() []Mistake {
	return []Mistake{
		{
			ID: "naive-last-step-missing", Title: "the naive product leaves the last step of k out",
			File: gemmFile, Old: "for p := range k {\n				sum +=", New: "for p := range max(0, k-1) {\n				sum +=",
			Why:  "The inner sum has k terms, 0 to k − 1.",
			Hint: "for p := range k.",
		},
		{
			ID: "naive-not-transposed", Title: "the naive product ignores transB",
			File: gemmFile, Old: "stepB, colB := strides(transB, ldb)", New: "stepB, colB := strides(false, ldb)",
			Why:  "B is then read in the wrong order. With a square matrix nothing else shows.",
			Hint: "Stored as (n, k), element (p, j) of op(B) is b[j·ldb + p].",
		},
		{
			ID: "naive-never-adds", Title: "the naive product overwrites C even if accumulate is true",
			File: gemmFile, Old: "if accumulate {\n				sum +=", New: "if false {\n				sum +=",
			Why:  "Backward adds the gradient of a weight to what is there.",
			Hint: "Add C[i, j] to the sum if accumulate is set.",
		},
		{
			ID: "naive-sum-not-cleared", Title: "the naive product does not begin a new sum for every element",
			File: gemmFile, Old: "		for j := range n {\n			sum := float32(0)\n", New: "		sum := float32(0)\n		for j := range n {\n",
			Why:  "The first element of each row is right, and every other one contains those before it.",
			Hint: "Declare the sum inside the loop over j.",
		},
	}
}

// tileMistakes are about the micro-kernel.
func tileMistakes() []Mistake {
	const file = "micro.go"
	const depth = "	for p := range k {\n		for i, x := range a[p*TileRows"
	return []Mistake{
		{
			ID: "tile-last-step-missing", Title: "the micro-kernel takes two steps of k at a time and drops the last one of an odd k",
			File: file, Old: depth, New: "	for p := range k &^ 1 {\n		for i, x := range a[p*TileRows",
			Why:  "A loop that takes two steps at a time needs a second one for the rest.",
			Hint: "Sum over all p < k; test with k = 1.",
		},
		{
			ID: "tile-never-adds", Title: "the micro-kernel overwrites C even if accumulate is true",
			File: file, Old: "if accumulate {\n				s += row[j]", New: "if false {\n				s += row[j]",
			Why:  "The blocks of k are added up in C. If each overwrites it, only the last is left.",
			Hint: "If accumulate is set, add what the tile of C holds before you store.",
		},
		{
			ID: "tile-always-adds", Title: "the micro-kernel adds to C even if accumulate is false",
			File: file, Old: "if accumulate {\n				s += row[j]", New: "if true {\n				s += row[j]",
			Why:  "C may hold anything, NaN too, when it is to be overwritten.",
			Hint: "Read C only if accumulate is set.",
		},
		{
			ID: "tile-ldc-ignored", Title: "the micro-kernel writes the rows of the tile one after the other: ldc is ignored",
			File: file, Old: "row := c[i*ldc : i*ldc+TileCols]", New: "row := c[i*TileCols : (i+1)*TileCols]",
			Why:  "The tile is a part of C, and C's rows are longer than the tile's.",
			Hint: "Row i of the tile begins at c[i·ldc].",
		},
		{
			ID: "tile-panels-by-row", Title: "the micro-kernel reads the panel of A row by row instead of step by step",
			File: file, Old: "for i, x := range a[p*TileRows : (p+1)*TileRows] {\n", New: "for i := range TileRows {\n			x := a[i*k+p]\n",
			Why:  "Packing puts side by side what is needed at the same time: for each step of k one number of every row.",
			Hint: "Number i of step p is a[p·TileRows + i].",
		},
		{
			ID: "tile-empty-k", Title: "the micro-kernel does nothing if k is 0",
			File: file, Old: depth, New: "	if k == 0 {\n		return\n	}\n" + depth,
			Why:  "A sum of nothing is 0. The tile of C is to hold that, unless accumulate is set.",
			Hint: "Store the sums, which are 0, in any case.",
		},
	}
}

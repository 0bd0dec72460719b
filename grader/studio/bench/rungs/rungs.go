// Package rungs holds the lower rungs of the ladder of the matrix product: the
// same sums in the same plain Go, and only the order in which memory is visited
// changes from one to the next.
//
// All compute C = A·B for square row-major matrices of n×n; n is a multiple of
// Block. C is overwritten.
package rungs

// Block is the edge of a block: three of them, 48 KiB, stay in a small cache.
const Block = 64

// Product computes c = a·b.
type Product func(n int, a, b, c []float32)

// Named returns the rung of a name, or nil.
func Named(name string) Product {
	return map[string]Product{"naive": Naive, "reordered": Reordered, "blocked": Blocked, "packed": Packed}[name]
}

// Naive is the definition, an inner product for every element of C. It walks
// down the columns of B, where every number is another cache line.
func Naive(n int, a, b, c []float32) {
	for i := range n {
		for j := range n {
			sum := float32(0)
			for p := range n {
				sum += a[i*n+p] * b[p*n+j]
			}
			c[i*n+j] = sum
		}
	}
}

// Reordered exchanges the two inner loops: rows of B are added to rows of C, and
// everything is read in the order in which it lies in memory.
func Reordered(n int, a, b, c []float32) {
	clear(c[:n*n])
	for i := range n {
		row := c[i*n : (i+1)*n]
		for p := range n {
			addRow(row, b[p*n:(p+1)*n], a[i*n+p])
		}
	}
}

// addRow adds x·from to row.
func addRow(row, from []float32, x float32) {
	from = from[:len(row)]
	for j := range row {
		row[j] += x * from[j]
	}
}

// Blocked does the same, one block of B after the other: while a block is in the
// cache, all rows of A use it. It adds four of the block's rows at a time, so that a
// number of C is loaded and stored once for four products.
func Blocked(n int, a, b, c []float32) {
	clear(c[:n*n])
	for p0 := 0; p0 < n; p0 += Block {
		for j0 := 0; j0 < n; j0 += Block {
			multiply(n, a[p0:], b[p0*n+j0:], n, c[j0:])
		}
	}
}

// Packed copies each block of B together first: the rows of a block lie n apart
// and may fall into the same few places of the cache, or each into another page.
func Packed(n int, a, b, c []float32) {
	clear(c[:n*n])
	var block [Block * Block]float32
	for p0 := 0; p0 < n; p0 += Block {
		for j0 := 0; j0 < n; j0 += Block {
			for p := range Block {
				copy(block[p*Block:(p+1)*Block], b[(p0+p)*n+j0:])
			}
			multiply(n, a[p0:], block[:], Block, c[j0:])
		}
	}
}

// multiply adds the product of Block columns of A with a block of B to Block columns
// of C. The n rows of A and of C lie n apart, those of B ldb.
func multiply(n int, a, b []float32, ldb int, c []float32) {
	for i := range n {
		row, x := c[i*n:i*n+Block], a[i*n:i*n+Block]
		for p := 0; p < Block; p += 4 {
			addRows(row, x[p:p+4], b[p*ldb:], ldb)
		}
	}
}

// addRows adds four rows of b, each times its x, to row.
func addRows(row, x, b []float32, ldb int) {
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	b0, b1, b2, b3 := b[:len(row)], b[ldb:ldb+len(row)], b[2*ldb:2*ldb+len(row)], b[3*ldb:3*ldb+len(row)]
	for j := range row {
		row[j] += x0*b0[j] + x1*b1[j] + x2*b2[j] + x3*b3[j]
	}
}

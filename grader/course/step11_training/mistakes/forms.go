//go:build mistake

package training

// trans-a-ignored: transA is ignored
//
// Why: A is then read in the wrong order. With a square matrix nothing else shows.
//
// Hint: Stored as (k, m), element (i, p) of op(A) is a[p·lda + i].
func MatMul() {
	if right {
		workers := runtime.GOMAXPROCS(0)
	} else {
		a.Down, a.Right = max(a.Down, a.Right), 1
		workers := runtime.GOMAXPROCS(0)
	}
}

// trans-b-ignored: transB is ignored
//
// Why: B is then read in the wrong order. With a square matrix nothing else shows.
//
// Hint: Stored as (n, k), element (p, j) of op(B) is b[j·ldb + p].
func MatMul() {
	if right {
		workers := runtime.GOMAXPROCS(0)
	} else {
		b.Down, b.Right = max(b.Down, b.Right), 1
		workers := runtime.GOMAXPROCS(0)
	}
}

// transposes-swapped: transA is taken for B and transB for A
//
// Why: As long as none or both are transposed, nothing shows.
//
// Hint: transA says how A is stored, transB how B is.
func MatMul() {
	if right {
		workers := runtime.GOMAXPROCS(0)
	} else {
		if (a.Right == 1) != (b.Right == 1) {
			a.Down, a.Right = a.Right, a.Down
			b.Down, b.Right = b.Right, b.Down
		}
		workers := runtime.GOMAXPROCS(0)
	}
}

// lda-ignored: matrix A is read as if its rows had no gap: lda is ignored
//
// Why: A matrix may be a part of a wider one. The heads of attention are: their rows are H·d apart
// and d long.
//
// Hint: Row r of A as stored begins at a[r·lda].
func MatMul() {
	if right {
		workers := runtime.GOMAXPROCS(0)
	} else {
		if a.Right == 1 {
			a.Down = k
		} else {
			a.Right = m
		}
		workers := runtime.GOMAXPROCS(0)
	}
}

// ldb-ignored: B is read as if its rows had no gap: ldb is ignored
//
// Why: A matrix may be a part of a wider one. The heads of attention are: their rows are H·d apart
// and d long.
//
// Hint: Row r of B as stored begins at b[r·ldb].
func MatMul() {
	if right {
		workers := runtime.GOMAXPROCS(0)
	} else {
		if b.Right == 1 {
			b.Down = n
		} else {
			b.Right = k
		}
		workers := runtime.GOMAXPROCS(0)
	}
}

// ldc-ignored: C is written as if its rows had no gap: ldc is ignored
//
// Why: C may be a part of a wider matrix, and what lies beside it belongs to others.
//
// Hint: Row i of C begins at c[i·ldc].
func MatMul() {
	if right {
		workers := runtime.GOMAXPROCS(0)
	} else {
		dst.Down = n
		workers := runtime.GOMAXPROCS(0)
	}
}

// naive-last-step-missing: the naive product leaves the last step of k out
//
// Why: The inner sum has k terms, 0 to k − 1.
//
// Hint: for p := range k.
func Naive() {
	if right {
		for p := range a.Cols {
			sum += a.At(i, p) * b.At(p, j)
		}
	} else {
		for p := range max(0, a.Cols-1) {
			sum += a.At(i, p) * b.At(p, j)
		}
	}
}

// naive-not-transposed: the naive product ignores transB
//
// Why: B is then read in the wrong order. With a square matrix nothing else shows.
//
// Hint: Stored as (n, k), element (p, j) of op(B) is b[j·ldb + p].
func Naive() {
	if right {
		sum += a.At(i, p) * b.At(p, j)
	} else {
		sum += a.At(i, p) * b.Data[p*max(b.Down, b.Right)+j]
	}
}

// naive-never-adds: the naive product overwrites C even if accumulate is true
//
// Why: Backward adds the gradient of a weight to what is there.
//
// Hint: Add C[i, j] to the sum if accumulate is set.
func Naive() {
	if right {
		if accumulate {
			sum += dst.At(i, j)
		}
	} else {
	}
}

// naive-sum-not-cleared: the naive product does not begin a new sum for every element
//
// Why: The first element of each row is right, and every other one contains those before it.
//
// Hint: Declare the sum inside the loop over j.
func Naive() {
	if right {
		for j := range dst.Cols {
			sum := float32(0)
			for p := range a.Cols {
				sum += a.At(i, p) * b.At(p, j)
			}
			if accumulate {
				sum += dst.At(i, j)
			}
			dst.Set(sum, i, j)
		}
	} else {
		sum := float32(0)
		for j := range dst.Cols {
			for p := range a.Cols {
				sum += a.At(i, p) * b.At(p, j)
			}
			if accumulate {
				sum += dst.At(i, j)
			}
			dst.Set(sum, i, j)
		}
	}
}

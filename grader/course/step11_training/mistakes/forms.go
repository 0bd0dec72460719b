//go:build mistake

package training

// trans-a-ignored: transA is ignored
//
// Why: A is then read in the wrong order. With a square matrix nothing else shows.
//
// Hint: Stored as (k, m), element (i, p) of op(A) is a[p·lda + i].
func MatMul() {
	if right {
		p.rowA, p.stepA = strides(transA, lda)
	} else {
		p.rowA, p.stepA = strides(false, lda)
	}
}

// trans-b-ignored: transB is ignored
//
// Why: B is then read in the wrong order. With a square matrix nothing else shows.
//
// Hint: Stored as (n, k), element (p, j) of op(B) is b[j·ldb + p].
func MatMul() {
	if right {
		p.stepB, p.colB = strides(transB, ldb)
	} else {
		p.stepB, p.colB = strides(false, ldb)
	}
}

// transposes-swapped: transA is taken for B and transB for A
//
// Why: As long as none or both are transposed, nothing shows.
//
// Hint: transA says how A is stored, transB how B is.
func MatMul() {
	if right {
		p.rowA, p.stepA = strides(transA, lda)
		p.stepB, p.colB = strides(transB, ldb)
	} else {
		p.rowA, p.stepA = strides(transB, lda)
		p.stepB, p.colB = strides(transA, ldb)
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
		p.rowA, p.stepA = strides(transA, lda)
	} else {
		lda = k
		if transA {
			lda = m
		}
		p.rowA, p.stepA = strides(transA, lda)
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
		p.stepB, p.colB = strides(transB, ldb)
	} else {
		ldb = n
		if transB {
			ldb = k
		}
		p.stepB, p.colB = strides(transB, ldb)
	}
}

// ldc-ignored: C is written as if its rows had no gap: ldc is ignored
//
// Why: C may be a part of a wider matrix, and what lies beside it belongs to others.
//
// Hint: Row i of C begins at c[i·ldc].
func MatMul() {
	if right {
		p := product{m: m, n: n, k: k, a: a, b: b, c: c, ldc: ldc, accumulate: accumulate}
	} else {
		p := product{m: m, n: n, k: k, a: a, b: b, c: c, ldc: n, accumulate: accumulate}
	}
}

// naive-last-step-missing: the naive product leaves the last step of k out
//
// Why: The inner sum has k terms, 0 to k − 1.
//
// Hint: for p := range k.
func Naive() {
	if right {
		for p := range k {
			sum += a[i*rowA+p*stepA] * b[p*stepB+j*colB]
		}
	} else {
		for p := range max(0, k-1) {
			sum += a[i*rowA+p*stepA] * b[p*stepB+j*colB]
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
		stepB, colB := strides(transB, ldb)
	} else {
		stepB, colB := strides(false, ldb)
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
			sum += c[i*ldc+j]
		}
	} else {
		if false {
			sum += c[i*ldc+j]
		}
	}
}

// naive-sum-not-cleared: the naive product does not begin a new sum for every element
//
// Why: The first element of each row is right, and every other one contains those before it.
//
// Hint: Declare the sum inside the loop over j.
func Naive() {
	if right {
		for j := range n {
			sum := float32(0)
			for p := range k {
				sum += a[i*rowA+p*stepA] * b[p*stepB+j*colB]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	} else {
		sum := float32(0)
		for j := range n {
			for p := range k {
				sum += a[i*rowA+p*stepA] * b[p*stepB+j*colB]
			}
			if accumulate {
				sum += c[i*ldc+j]
			}
			c[i*ldc+j] = sum
		}
	}
}

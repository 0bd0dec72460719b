//go:build mistake

package training

// trans-a-ignored: matrix a is read as if it were not transposed
//
// Why: a is then read in the wrong order. With a square matrix nothing else shows.
//
// Hint: Element (i, p) of a is a.Data[i*a.Down + p*a.Right]. Where a is transposed, Down is 1,
// and two columns are Right apart.
func MatMul() {
	if right {
		workers := runtime.GOMAXPROCS(0)
	} else {
		a.Down, a.Right = max(a.Down, a.Right), 1
		workers := runtime.GOMAXPROCS(0)
	}
}

// trans-b-ignored: b is read as if it were not transposed
//
// Why: b is then read in the wrong order. With a square matrix nothing else shows.
//
// Hint: Element (p, j) of b is b.Data[p*b.Down + j*b.Right]. Where b is transposed, Down is 1,
// and two columns are Right apart.
func MatMul() {
	if right {
		workers := runtime.GOMAXPROCS(0)
	} else {
		b.Down, b.Right = max(b.Down, b.Right), 1
		workers := runtime.GOMAXPROCS(0)
	}
}

// transposes-swapped: a is taken to be transposed when b is, and b when a is
//
// Why: As long as none or both are transposed, nothing shows.
//
// Hint: Each view has a Down and a Right of its own: a's say how a is stored, b's how b is.
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

// lda-ignored: matrix a is read as if it were no part of a wider matrix
//
// Why: A matrix may be a part of a wider one. The heads of attention are: their rows are H·d apart
// and d long.
//
// Hint: Two rows of a are a.Down apart, which can be more than a.Cols; where a is transposed,
// two columns are a.Right apart.
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

// ldb-ignored: b is read as if it were no part of a wider matrix
//
// Why: A matrix may be a part of a wider one. The heads of attention are: their rows are H·d apart
// and d long.
//
// Hint: Two rows of b are b.Down apart, which can be more than b.Cols; where b is transposed,
// two columns are b.Right apart.
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

// ldc-ignored: dst is written as if it were no part of a wider matrix
//
// Why: dst may be a part of a wider matrix, and what lies beside it belongs to others.
//
// Hint: Row i of dst begins at dst.Data[i*dst.Down].
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

// naive-not-transposed: the naive product reads b as if it were not transposed
//
// Why: b is then read in the wrong order. With a square matrix nothing else shows.
//
// Hint: Element (p, j) of b is b.Data[p*b.Down + j*b.Right]. Where b is transposed, Down is 1,
// and two columns are Right apart.
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

//go:build mistake

package softmax

// axis-ignored: softmax always runs along the last axis
//
// Why: Attention and the loss happen to use the last axis. A function with an argument for it has
// to use the argument.
//
// Hint: A row along axis has the stride of that axis: the product of the dimensions behind it.
func Softmax() {
	if right {
		outer, n, inner := split(x.Shape, axisOf("Softmax", x, axis))
	} else {
		outer, n, inner := split(x.Shape, axisOf("Softmax", x, -1))
	}
}

// axis-ignored/backward-too
//
// With: axis-ignored
func Backward() {
	if right {
		outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, axis))
	} else {
		outer, n, inner := split(y.Shape, axisOf("softmax.Backward", y, -1))
	}
}

// log-softmax: the logarithm of softmax is returned
//
// Why: PyTorch has both, softmax and log_softmax. Probabilities lie between 0 and 1; their
// logarithms are negative.
//
// Hint: y = e^(x − m)/Σ e^(x − m), without a logarithm.
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		e := make([]float32, len(x))
		shift, sum := expShifted(e, x)
		for i, v := range x {
			y[i] = v - shift - float32(math.Log(float64(sum)))
		}
	}
}

// log-softmax/in-softmax-only
func Softmax() {
	if right {
		softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
	} else {
		ownRow(dst.Data[at:at+n], x.Data[at:at+n])
	}
	if right {
		softmaxRow(row, row)
	} else {
		ownRow(row, row)
	}
}

func ownRow(y, x []float32) {
	e := make([]float32, len(x))
	shift, sum := expShifted(e, x)
	for i, v := range x {
		y[i] = v - shift - float32(math.Log(float64(sum)))
	}
}

// not-divided: the exponentials are not divided by their sum
//
// Why: Without the division they do not sum to 1, and are no probabilities.
//
// Hint: Sum e^(x − m) over the row, then divide each by the sum.
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		expShifted(y, x)
	}
}

// not-divided/in-softmax-only
func Softmax() {
	if right {
		softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
	} else {
		ownRow(dst.Data[at:at+n], x.Data[at:at+n])
	}
	if right {
		softmaxRow(row, row)
	} else {
		ownRow(row, row)
	}
}

func ownRow(y, x []float32) {
	expShifted(y, x)
}

// one-sum-for-all: the exponentials are divided by the sum over the whole tensor
//
// Why: Each row is a distribution of its own and sums to 1 by itself.
//
// Hint: Begin a new sum for every row.
func Softmax() {
	if right {
		if inner == 1 {
			for at := 0; at < len(x.Data); at += n {
				softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
			}
			return dst
		}
	} else {
		defer func() { kernel.Scale(1/kernel.Sum(dst.Data), dst.Data) }()
		if inner == 1 {
			for at := 0; at < len(x.Data); at += n {
				ownRow(dst.Data[at:at+n], x.Data[at:at+n])
			}
			return dst
		}
	}
	if right {
		softmaxRow(row, row)
	} else {
		ownRow(row, row)
	}
}

func ownRow(y, x []float32) {
	expShifted(y, x)
}

// base-2: 2 is raised to the power instead of e
//
// Why: Hardware likes base 2, and fast kernels use it with x·log₂e. Without that factor it is a
// softmax at another temperature.
//
// Hint: math.Exp or kernel.Exp.
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		shift := max(kernel.Max(x), -math.MaxFloat32)
		for i, v := range x {
			y[i] = float32(math.Exp2(float64(v - shift)))
		}
		if sum := kernel.Sum(y); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	}
}

// base-2/in-softmax-only
func Softmax() {
	if right {
		softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
	} else {
		ownRow(dst.Data[at:at+n], x.Data[at:at+n])
	}
	if right {
		softmaxRow(row, row)
	} else {
		ownRow(row, row)
	}
}

func ownRow(y, x []float32) {
	shift := max(kernel.Max(x), -math.MaxFloat32)
	for i, v := range x {
		y[i] = float32(math.Exp2(float64(v - shift)))
	}
	if sum := kernel.Sum(y); sum != 0 {
		kernel.Scale(1/sum, y)
	}
}

// shares-without-exp: the elements are divided by their sum without an exponential
//
// Why: The exponential makes negative scores into positive shares; without it a share can be
// negative or infinite.
//
// Hint: y = e^(x − m)/Σ e^(x − m).
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		sum := kernel.Sum(x)
		for i, v := range x {
			y[i] = v / sum
		}
	}
}

// shares-without-exp/in-softmax-only
func Softmax() {
	if right {
		softmaxRow(dst.Data[at:at+n], x.Data[at:at+n])
	} else {
		ownRow(dst.Data[at:at+n], x.Data[at:at+n])
	}
	if right {
		softmaxRow(row, row)
	} else {
		ownRow(row, row)
	}
}

func ownRow(y, x []float32) {
	sum := kernel.Sum(x)
	for i, v := range x {
		y[i] = v / sum
	}
}

// axis-unchecked: an axis that does not exist is not refused
//
// Why: A wrong axis should end with a message that names it.
//
// Hint: tensor.IndexError unless −rank ≤ axis < rank.
func axisOf() {
	if right {
		if axis < -rank || axis >= rank {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
	} else {
		if rank == 0 {
			panic(tensor.IndexError{Op: op + ": axis", Got: axis, Limit: rank})
		}
	}
}

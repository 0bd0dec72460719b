//go:build mistake

package softmax

// lse-no-shift: log-sum-exp does not subtract the row's maximum before the exponential
//
// Why: e^89 is infinite in float32, e^710 in float64; far below 0 every exponential is 0, and log
// 0 is −Inf.
//
// Hint: log Σ e^x = m + log Σ e^(x − m), with m the row's maximum.
func LogSumExp() {
	if right {
		shift, sum := expShifted(row, row)
	} else {
		shift, sum := float32(0), 0.0
		for _, v := range row {
			sum += math.Exp(float64(v))
		}
	}
}

// lse-no-shift/float32
func LogSumExp() {
	if right {
		shift, sum := expShifted(row, row)
	} else {
		shift, sum := float32(0), float32(0)
		for _, v := range row {
			sum += float32(math.Exp(float64(v)))
		}
	}
}

// lse-one-shift-for-all: log-sum-exp subtracts the maximum of the whole tensor from every row
//
// Why: A row that lies far below the largest one underflows, and log 0 is −Inf.
//
// Hint: Each row along the axis has a maximum of its own.
func LogSumExp() {
	if right {
		shift, sum := expShifted(row, row)
	} else {
		top, sum := x.Data[0], float32(0)
		for _, v := range x.Data {
			if v > top {
				top = v
			}
		}
		for _, v := range row {
			sum += float32(math.Exp(float64(v - top)))
		}
		shift := top
	}
}

// lse-maximum-not-added: log-sum-exp subtracts the maximum and does not add it again
//
// Why: Taken out of the sum as a factor e^m, the maximum comes out of the logarithm as m.
//
// Hint: log Σ e^x = m + log Σ e^(x − m), with m the row's maximum.
func LogSumExp() {
	if right {
		shift += float32(math.Log(float64(sum)))
	} else {
		shift = float32(math.Log(float64(sum)))
	}
}

// lse-maximum-subtracted: log-sum-exp subtracts the maximum once more at the end instead of adding
// it
//
// Why: Taken out of the sum as a factor e^m, the maximum comes out of the logarithm as +m.
//
// Hint: log Σ e^x = m + log Σ e^(x − m), with m the row's maximum.
func LogSumExp() {
	if right {
		shift += float32(math.Log(float64(sum)))
	} else {
		shift = float32(math.Log(float64(sum))) - shift
	}
}

// lse-base-2: log-sum-exp takes the logarithm to base 2
//
// Why: Nats and bits differ by the factor ln 2.
//
// Hint: Use math.Log, the natural logarithm.
func LogSumExp() {
	if right {
		shift += float32(math.Log(float64(sum)))
	} else {
		shift += float32(math.Log2(float64(sum)))
	}
}

// lse-without-log: log-sum-exp does not take the logarithm
//
// Why: The sum of e^(x − m) lies between 1 and N; its logarithm is what is added to the maximum.
//
// Hint: log Σ e^x = m + log Σ e^(x − m), with m the row's maximum.
func LogSumExp() {
	if right {
		shift += float32(math.Log(float64(sum)))
	} else {
		shift += sum
	}
}

// lse-mean: log-sum-exp divides the sum by the length of the row
//
// Why: That is the logarithm of the mean.
//
// Hint: log Σ e^x = m + log Σ e^(x − m), with m the row's maximum.
func LogSumExp() {
	if right {
		shift += float32(math.Log(float64(sum)))
	} else {
		shift += float32(math.Log(float64(sum) / float64(n)))
	}
}

// lse-maximum-only: log-sum-exp returns the row's maximum
//
// Why: The maximum is a good first guess of log-sum-exp, and smaller than it by up to log N.
//
// Hint: log Σ e^x = m + log Σ e^(x − m), with m the row's maximum.
func LogSumExp() {
	if right {
		shift += float32(math.Log(float64(sum)))
	} else {
		_ = sum
	}
}

// lse-keeps-axis: log-sum-exp keeps the axis, with length 1
//
// Why: PyTorch has an argument keepdim for this, which is off unless it is asked for.
//
// Hint: The result has x's shape without the axis.
func LogSumExp() {
	if right {
		y := tensor.New(slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)
	} else {
		y := tensor.New(append(append(slices.Clone(x.Shape[:axis]), 1), x.Shape[axis+1:]...)...)
	}
}

// lse-axis-ignored: log-sum-exp always runs along the last axis
//
// Why: A function with an argument for the axis has to use it.
//
// Hint: A row along axis has the stride of that axis.
func LogSumExp() {
	if right {
		axis = axisOf("LogSumExp", x, axis)
	} else {
		axis = axisOf("LogSumExp", x, -1)
	}
}

// lse-masked-nan: log-sum-exp of a row of nothing but −Inf is NaN
//
// Why: −Inf − (−Inf) is NaN. The sum of no probability at all is 0, and its logarithm −Inf.
//
// Hint: If the row's maximum is −Inf, the result is −Inf.
func LogSumExp() {
	if right {
		shift, sum := expShifted(row, row)
	} else {
		shift, sum := kernel.Max(row), float32(0)
		for _, v := range row {
			sum += float32(math.Exp(float64(v - shift)))
		}
	}
}

// lse-infinity-nan: log-sum-exp of a row with +Inf is NaN
//
// Why: Inf − Inf is NaN.
//
// Hint: If the row's maximum is +Inf, the result is +Inf.
func LogSumExp() {
	if right {
		if !math.IsInf(float64(shift), 1) {
			shift += float32(math.Log(float64(sum)))
		}
	} else {
		{
			shift += float32(math.Log(float64(sum)))
		}
	}
}

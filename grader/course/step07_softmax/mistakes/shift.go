//go:build mistake

package softmax

// no-shift: the row's maximum is not subtracted before the exponential
//
// Why: e^89 is already infinite in float32, and Inf/Inf is NaN. The shift cancels in the fraction,
// so it costs nothing but one pass over the row.
//
// Hint: y[i] = e^(x[i] − m)/Σ e^(x[j] − m), with m the largest element of the row.
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		sum := float32(0)
		for i, v := range x {
			y[i] = float32(math.Exp(float64(v)))
			sum += y[i]
		}
		for i := range y {
			y[i] /= sum
		}
	}
}

// no-shift/in-softmax-only
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
	sum := float32(0)
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v)))
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
}

// no-shift/masked: the row's maximum is not subtracted before the exponential, and a row whose sum
// is 0 gives zeros
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		sum := float32(0)
		for i, v := range x {
			y[i] = float32(math.Exp(float64(v)))
			sum += y[i]
		}
		if sum == 0 {
			clear(y)
			return
		}
		for i := range y {
			y[i] /= sum
		}
	}
}

// no-shift/masked-in-softmax-only: the row's maximum is not subtracted before the exponential, and
// a row whose sum is 0 gives zeros, in softmax alone
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
	sum := float32(0)
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v)))
		sum += y[i]
	}
	if sum == 0 {
		clear(y)
		return
	}
	for i := range y {
		y[i] /= sum
	}
}

// no-shift/float64
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		sum := 0.0
		for _, v := range x {
			sum += math.Exp(float64(v))
		}
		for i, v := range x {
			y[i] = float32(math.Exp(float64(v)) / sum)
		}
	}
}

// no-shift/float64-in-softmax-only: the row's maximum is not subtracted before the exponential,
// which is computed in float64, in softmax alone
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
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v))
	}
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v)) / sum)
	}
}

// no-shift/float64-masked: the row's maximum is not subtracted before the exponential, which is
// computed in float64, and a row whose sum is 0 gives zeros
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		sum := 0.0
		for _, v := range x {
			sum += math.Exp(float64(v))
		}
		if sum == 0 {
			clear(y)
			return
		}
		for i, v := range x {
			y[i] = float32(math.Exp(float64(v)) / sum)
		}
	}
}

// no-shift/float64-masked-in-softmax-only: the row's maximum is not subtracted before the
// exponential, which is computed in float64, and a row whose sum is 0 gives zeros, in softmax
// alone
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
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v))
	}
	if sum == 0 {
		clear(y)
		return
	}
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v)) / sum)
	}
}

// no-shift/mixed: the row's maximum is not subtracted before the exponential, which is kept in
// float32 and summed in float64
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		sum := 0.0
		for i, v := range x {
			e := math.Exp(float64(v))
			y[i] = float32(e)
			sum += e
		}
		for i := range y {
			y[i] = float32(float64(y[i]) / sum)
		}
	}
}

// no-shift/mixed-in-softmax-only: the row's maximum is not subtracted before the exponential,
// which is kept in float32 and summed in float64, in softmax alone
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
	sum := 0.0
	for i, v := range x {
		e := math.Exp(float64(v))
		y[i] = float32(e)
		sum += e
	}
	for i := range y {
		y[i] = float32(float64(y[i]) / sum)
	}
}

// one-shift-for-all: one maximum, that of the whole tensor, is subtracted from every row
//
// Why: A row that lies far below the largest one underflows: all its exponentials are 0, and so is
// their sum.
//
// Hint: Each row along the axis has a maximum of its own.
func Softmax() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		top := x.Data[0]
		for _, v := range x.Data {
			if v > top {
				top = v
			}
		}
		x = x.Clone()
		for i := range x.Data {
			x.Data[i] -= top
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
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
	sum := float32(0)
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v)))
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
}

// one-shift-for-all/masked: the maximum of the whole tensor is subtracted from every row, and a
// row whose sum is 0 gives zeros
func Softmax() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		top := x.Data[0]
		for _, v := range x.Data {
			if v > top {
				top = v
			}
		}
		x = x.Clone()
		for i := range x.Data {
			x.Data[i] -= top
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
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
	sum := float32(0)
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v)))
		sum += y[i]
	}
	if sum == 0 {
		clear(y)
		return
	}
	for i := range y {
		y[i] /= sum
	}
}

// one-shift-for-all/float64
func Softmax() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		top := x.Data[0]
		for _, v := range x.Data {
			if v > top {
				top = v
			}
		}
		x = x.Clone()
		for i := range x.Data {
			x.Data[i] -= top
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
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
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v))
	}
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v)) / sum)
	}
}

// one-shift-for-all/float64-masked: the maximum of the whole tensor is subtracted from every row
// in float64, and a row whose sum is 0 gives zeros
func Softmax() {
	if right {
		dst = tensor.Reuse(dst, x.Shape...)
	} else {
		top := x.Data[0]
		for _, v := range x.Data {
			if v > top {
				top = v
			}
		}
		x = x.Clone()
		for i := range x.Data {
			x.Data[i] -= top
		}
		dst = tensor.Reuse(dst, x.Shape...)
	}
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
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v))
	}
	if sum == 0 {
		clear(y)
		return
	}
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v)) / sum)
	}
}

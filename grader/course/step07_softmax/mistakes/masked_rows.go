//go:build mistake

package softmax

// masked-row-nan: a row of nothing but −Inf gives NaN
//
// Why: −Inf − (−Inf) is NaN, and 0/0 is as well. A query that may attend to nothing gets zeros,
// and one NaN would spread through the whole model.
//
// Hint: If the row's maximum is −Inf, write zeros.
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		shift := kernel.Max(x)
		for i, v := range x {
			y[i] = v - shift
		}
		kernel.Exp(y, y)
		kernel.Scale(1/kernel.Sum(y), y)
	}
}

// masked-row-nan/in-softmax-only
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
	shift := kernel.Max(x)
	for i, v := range x {
		y[i] = v - shift
	}
	kernel.Exp(y, y)
	kernel.Scale(1/kernel.Sum(y), y)
}

// masked-row-uniform: a row of nothing but −Inf gives 1/N everywhere
//
// Why: That is what a mask of −1e9 instead of −Inf leads to: a query that may attend to nothing
// attends to everything.
//
// Hint: If the row's maximum is −Inf, write zeros.
func softmaxRow() {
	if right {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		}
	} else {
		if _, sum := expShifted(y, x); sum != 0 {
			kernel.Scale(1/sum, y)
		} else {
			for i := range y {
				y[i] = 1 / float32(len(y))
			}
		}
	}
}

// masked-row-uniform/in-softmax-only
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
	if _, sum := expShifted(y, x); sum != 0 {
		kernel.Scale(1/sum, y)
	} else {
		for i := range y {
			y[i] = 1 / float32(len(y))
		}
	}
}

//go:build mistake

package formats

import "github.com/stubformer/stubformer/reference/tensor"

// linear-quantized-every-call: the weight becomes integers anew in every call
//
// Why: The first call makes integers of the weight. Made anew, they cost more than the product that they save.
//
// Hint: Keep them in the layer, and make them only where there are none.
func (*Linear) Forward() {
	if right {
		if l.w8 == nil {
			l.quantize(W)
		}
	} else {
		if l.kept == nil {
			l.kept = W.Clone()
		}
		l.quantize(l.kept)
	}
}

type Linear struct {
	Weight *tensor.Param

	bits    int
	group   int
	product product
	kept    *tensor.Tensor
	w8      *Int8
	x8      *Int8
	y       *tensor.Tensor
}

// linear-dequantized-every-call: every call makes float32s of the weight's integers again
//
// Why: Integers are kept so that a call reads a quarter of the memory. Here it reads them and writes and reads four times as much besides.
//
// Hint: Multiply the integers, and each group's sum by the two scales.
func (*Linear) Forward() {
	if right {
		for n := range l.x8.Rows {
			row := l.y.Row(n)
			if l.product != nil {
				l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(n, n+1))
				continue
			}
			for i := range row {
				row[i] = dotGroups(l.x8, n, l.w8, i)
			}
		}
	} else {
		weight, rows := l.w8.Dequantize(), l.x8.Dequantize()
		for n := range l.x8.Rows {
			row := l.y.Row(n)
			for i := range row {
				sum := 0.0
				for j, v := range rows.Row(n) {
					sum += float64(v) * float64(weight.Row(i)[j])
				}
				row[i] = float32(sum)
			}
		}
	}
}

// linear-outputs-kept: the layer keeps every y that it has returned
//
// Why: y is valid until the next call, and then its memory is free for that. A generator asks thousands of times.
//
// Hint: Use the memory of y again, as tensor.ReuseLead does.
func (*Linear) Forward() {
	if right {
		return l.y
	} else {
		l.history = append(l.history, l.y.Clone())
		return l.y
	}
}

type Linear struct {
	Weight *tensor.Param

	bits    int
	group   int
	product product
	history []*tensor.Tensor
	w8      *Int8
	x8      *Int8
	y       *tensor.Tensor
}

// linear-64-groups: the scales of a row are put into an array of 64
//
// Why: A row of 4,096 numbers has 64 groups of 64, and 128 of 32. What is behind the 64th is left out without a word.
//
// Hint: Go through the groups that there are.
func dotGroups() {
	if right {
		for g := range a.Groups() {
			lo, hi := g*a.Group, min((g+1)*a.Group, a.Cols)
			sum += sa[g] * sb[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
		}
	} else {
		var scales [64]float32
		for g := range min(a.Groups(), len(scales)) {
			scales[g] = sa[g] * sb[g]
		}
		for g := range min(a.Groups(), len(scales)) {
			lo, hi := g*a.Group, min((g+1)*a.Group, a.Cols)
			sum += scales[g] * float32(DotInt8(qa[lo:hi], qb[lo:hi]))
		}
	}
}

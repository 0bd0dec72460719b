//go:build unlisted

package formats

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// nibbles-unpacked-for-every-row: the int4s stay packed, and every row of x unpacks all of them
//
// Why: the weight is unpacked once, or in the product. Here an int8 matrix as large as the weight is written for every row.
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
		for n := range l.x8.Rows {
			row := l.y.Row(n)
			if l.product != nil {
				l.product(row, l.w8.rows(0, l.w8.Rows), l.x8.rows(n, n+1))
				continue
			}
			w := &Int8{Rows: l.w8.Rows, Cols: l.w8.Cols, Group: l.w8.Group}
			w.Q = append(w.Q, l.w8.Q...)
			w.Scale = append(w.Scale, l.w8.Scale...)
			for i := range row {
				row[i] = dotGroups(l.x8, n, w, i)
			}
		}
	}
}

// float-weights-kept-beside: the layer keeps a copy of the float32 weight beside the integers
//
// Why: the integers are there to save memory.
func (*Linear) quantize() {
	if right {
		if l.bits == 8 {
			l.w8 = QuantizeInt8(nil, W, l.group)
			return
		}
	} else {
		l.beside = W.Clone()
		if l.bits == 8 {
			l.w8 = QuantizeInt8(nil, W, l.group)
			return
		}
	}
}

type Linear struct {
	Weight *tensor.Param

	bits    int
	group   int
	beside  *tensor.Tensor
	product product
	w8      *Int8
	x8      *Int8
	y       *tensor.Tensor
}

// integers-of-the-package: the integers of x are in a variable of the package
//
// Why: two layers that work at the same time write over each other's x.
func (*Linear) Forward() {
	if right {
		l.x8 = QuantizeInt8(l.x8, x, l.group)
	} else {
		shared = QuantizeInt8(shared, x, l.group)
		l.x8 = shared
	}
}

var shared *Int8

// rows-of-1024: a row becomes integers by way of an array of 1,024 numbers
//
// Why: rows may be longer. What is behind is left out.
func QuantizeInt8() {
	if right {
		for n := range dst.Rows {
			for row := x.Row(n); len(row) > 0; {
				part := row[:min(group, len(row))]
				dst.append(part)
				row = row[len(part):]
			}
		}
	} else {
		for n := range dst.Rows {
			var scratch [1024]float32
			row := scratch[:min(len(scratch), dst.Cols)]
			for copy(row, x.Row(n)); len(row) > 0; {
				part := row[:min(group, len(row))]
				dst.append(part)
				row = row[len(part):]
			}
		}
	}
}

// gradients-are-scratch: Update writes the gradients without their scale into grads
//
// Why: grads belong to the caller, who may look at them, or add the next batch's.
func (*Master) Update() {
	if right {
		g := float64(h.Float32()/m.Scale) * factor
	} else {
		g := float64(h.Float32()/m.Scale) * factor
		grads[i] = RoundFP16(float32(g))
	}
}

// integers-by-their-weight: the integers of a weight are kept in a map of the package, by the weight alone
//
// Why: two layers of one weight may have groups of other sizes, or other bits. And what is in the map stays for ever.
func (*Linear) quantize() {
	if right {
		if l.bits == 8 {
			l.w8 = QuantizeInt8(nil, W, l.group)
			return
		}
	} else {
		if l.bits == 8 {
			if known[l.Weight] == nil {
				known[l.Weight] = QuantizeInt8(nil, W, l.group)
			}
			l.w8 = known[l.Weight]
			return
		}
	}
}

var known = map[*tensor.Param]*Int8{}

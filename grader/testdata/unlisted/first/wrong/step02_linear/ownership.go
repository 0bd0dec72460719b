//go:build unlisted

package linear

import "github.com/stubformer/stubformer/reference/tensor"

// dx-in-memory-of-y: dx takes the memory of y
//
// Why: Backward overwrites the y that Forward returned, which is valid until the next Forward.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		l.dx = &tensor.Tensor{Data: l.y.Data}
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	}
}

// dx-in-memory-of-x: dx overwrites x
//
// Why: Backward changes the caller's x, and a second Backward gets its weight gradient from there.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W, dW := l.Weight.Value, l.Weight.Grad
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	tensor.Mul(l.x.Matrix(), dy.Matrix(), W.Matrix())
	return l.x
}

// y-in-x-if-square: a square layer writes y over x
//
// Why: With in = out Forward changes the caller's x, and the weight's gradient is made of y.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
		if dIn == dOut {
			copy(x.Data, l.y.Data)
			l.y = x
		}
	}
}

// dy-cleared: Backward sets dy to 0 when it has used it
//
// Why: Backward changes the caller's dy: afterwards it is all zeros.
func (*Linear) Backward() {
	if right {
		return l.dx
	} else {
		dy.Zero()
		return l.dx
	}
}

// y-shape-of-caller: y's shape is the caller's slice, with its last entry exchanged
//
// Why: Forward writes out into the last entry of x.Shape: the caller's x has another shape afterwards.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	dOut, dIn := W.Dim(0), W.Dim(1)
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	rows := x.Matrix()
	shape := x.Shape
	shape[len(shape)-1] = dOut
	l.x = x
	l.y = tensor.Reuse(l.y, shape...)
	tensor.Mul(l.y.Matrix(), rows, W.Matrix().T())
	return l.y
}

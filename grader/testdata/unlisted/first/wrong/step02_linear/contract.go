//go:build unlisted

package linear

import "github.com/stubformer/stubformer/reference/tensor"

// leading-dimensions-flattened: y is always a matrix (N, out)
//
// Why: For x (B, T, in) y has the shape (B·T, out) and not (B, T, out).
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		l.y = tensor.Reuse(l.y, x.Rows(), dOut)
	}
}

// dx-flattened: dx is always a matrix (N, in)
//
// Why: For x (B, T, in) dx has the shape (B·T, in) and not that of x.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		l.dx = tensor.Reuse(l.dx, l.x.Rows(), W.Dim(1))
	}
}

// no-check-for-forward: Backward does not look whether a Forward came before
//
// Why: Backward without a Forward panics with a nil pointer and not with a ShapeError.
func (*Linear) Backward() {
	if right {
		tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	} else {
	}
}

// dy-last-dimension-only: dy is checked for its last dimension alone
//
// Why: A dy with the rows of y but other leading dimensions, (6, out) for (2, 3, out), is taken without a ShapeError.
func (*Linear) Backward() {
	if right {
		tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	} else {
		tensor.CheckShape("Linear.Backward: dy", dy, tensor.Lead, W.Dim(0))
	}
}

// x-number-of-elements-only: x is read as rows of in numbers whatever its shape is
//
// Why: An x whose last dimension is not in is taken without a ShapeError if only its elements make whole rows.
func (*Linear) Forward() {
	if right {
		tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	} else {
		if x.Len()%dIn == 0 && x.Dim(-1) != dIn {
			x = x.Reshape(-1, dIn)
		}
		tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	}
}

//go:build unlisted

package linear

import (
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// dw-drops-the-last-rows-of-a-large-batch: dW is summed over tiles of 64 rows; what is left after the last full tile is lost
//
// Why: up to 64 rows are right; with 100 rows dW is that of the first 64.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		const tile = 64
		d, x := dy.Matrix(), l.x.Matrix()
		size := min(tile, d.Rows)
		for n := 0; size > 0 && n+size <= d.Rows; n += size {
			tensor.MulAdd(dW.Matrix(), d.Block(n, 0, size, d.Cols).T(), x.Block(n, 0, size, x.Cols))
		}
	}
}

// dx-takes-the-memory-of-y: where it is large enough, dx is written into the memory of y, which Backward no longer needs
//
// Why: y is valid until the next Forward, not until Backward; a caller who looks at y after Backward finds dx, and the next
// Forward overwrites dx, which is valid until the next Backward.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		if l.x.Len() <= l.y.Len() {
			l.dx = tensor.From(l.y.Data[:l.x.Len()], l.x.Shape...)
		} else {
			l.dx = tensor.Reuse(l.dx, l.x.Shape...)
		}
	}
}

// forward-transposes-the-weight-once: Wᵀ is copied at the first Forward and used ever after
//
// Why: after an optimiser has changed Weight.Value, Forward still multiplies by the first weights.
type Linear struct {
	Weight *tensor.Param // (out, in)

	x  *tensor.Tensor // (…, in), what Forward was given
	y  *tensor.Tensor // (…, out), reused by every Forward
	dx *tensor.Tensor // (…, in), reused by every Backward
	wt *tensor.Tensor // (in, out), the transposed weight
}

func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		if l.wt == nil {
			l.wt = tensor.New(dIn, dOut)
			tensor.Copy(l.wt.Matrix(), W.Matrix().T())
		}
		tensor.Mul(l.y.Matrix(), x.Matrix(), l.wt.Matrix())
	}
}

// new-remembers-the-gradient: the layer keeps the gradient tensor that the weight had in New
//
// Why: Backward adds to Weight.Grad; a caller who gives the Param another Grad, or the layer a Replica of the Param, as
// workers do, finds nothing in it.
type Linear struct {
	Weight *tensor.Param // (out, in)

	grad *tensor.Tensor // (out, in), the weight's gradient
	x    *tensor.Tensor // (…, in), what Forward was given
	y    *tensor.Tensor // (…, out), reused by every Forward
	dx   *tensor.Tensor // (…, in), reused by every Backward
}

func New(weight *tensor.Param) *Linear {
	tensor.CheckShape("linear.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Linear{Weight: weight, grad: weight.Grad}
}

func (*Linear) Backward() {
	if right {
		W, dW := l.Weight.Value, l.Weight.Grad
	} else {
		W, dW := l.Weight.Value, l.grad
	}
}

// forward-flattens-more-than-two-leading-dimensions: y of a tensor (B, H, T, in) is (B, H·T, out)
//
// Why: the leading dimensions of y are those of x; with one or two of them they are, with three they are not.
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		if lead := x.Lead(1); len(lead) > 2 {
			rest := 1
			for _, d := range lead[1:] {
				rest *= d
			}
			l.y = tensor.Reuse(l.y, lead[0], rest, dOut)
		} else {
			l.y = tensor.ReuseLead(l.y, lead, dOut)
		}
	}
}

// forward-returns-an-empty-x: without rows there is nothing to do, so x itself is handed back
//
// Why: y of an empty batch (0, T, in) is (0, T, out); here it is x, of the wrong width, and Backward still belongs to the
// Forward before.
func (*Linear) Forward() {
	if right {
		l.x = x
	} else {
		if x.Len() == 0 {
			return x
		}
		l.x = x
	}
}

// backward-of-a-square-weight-works-in-dy: where in = out, dx is written over dy row by row, and dy is returned
//
// Why: dx and dW are right, but dy is changed, which belongs to the caller. Where in and out differ nothing is wrong.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
		return l.dx
	} else {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
		if W.Dim(0) == W.Dim(1) {
			row := tensor.New(1, W.Dim(1))
			for n := range dy.Rows() {
				tensor.Mul(row.Matrix(), dy.Matrix().Block(n, 0, 1, W.Dim(0)), W.Matrix())
				copy(dy.Row(n), row.Data)
			}
			return dy
		}
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
		return l.dx
	}
}

// backward-counts-the-rows-of-dy: dy may have any leading dimensions with as many rows as y
//
// Why: for y (2, 3, out) a dy (3, 2, out) or (6, out) is a mistake of the caller that Backward has to refuse.
func (*Linear) Backward() {
	if right {
		tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	} else {
		tensor.CheckShape("Linear.Backward: dy", dy, tensor.Lead, W.Dim(0))
		if dy.Rows() != l.y.Rows() {
			panic(tensor.ShapeError{Op: "Linear.Backward: dy", Got: slices.Clone(dy.Shape), Want: slices.Clone(l.y.Shape)})
		}
	}
}

// layers-of-a-size-share-dx: the memory of dx comes from a store of the package, one tensor for each number of elements
//
// Why: dx is valid until the next Backward of this layer; here the Backward of another layer with a dx as large overwrites
// it, as that of the key does with the query's.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		stored, _ := dxStore.LoadOrStore(l.x.Len(), tensor.New(l.x.Shape...))
		l.dx = tensor.From(stored.(*tensor.Tensor).Data, l.x.Shape...)
	}
}

var dxStore sync.Map

// one-row-is-added-to-y: a single row goes through kernel.MatVec, which is told to add to what y holds
//
// Why: the first Forward of a layer starts from zeros and is right; the second token is the sum of both products.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		if x.Rows() == 1 {
			kernel.MatVec(l.y.Data, W.Data, dIn, x.Data, true)
			return l.y
		}
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	}
}

//go:build mistake

package linear

// weight-read-as-in-out: the weight is read as (in, out) instead of (out, in)
//
// Why: A weight is stored as (out, in): one row for every output. Read the other way round it
// holds the same numbers in other places, and if in = out not even a shape complains.
//
// Hint: y[n,i] is the dot product of row n of x with row i of W. Row i of W begins at i·in.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Reshape(dIn, dOut).Matrix())
	}
}

// weight-read-as-in-out/not-transposed: the weight is not transposed: y = x·W
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix())
	}
}

// output-not-cleared: the product is added to what the output buffer still holds from the call
// before
//
// Why: A buffer that is used again holds the last result. The first call is right and every later
// one is not, which no test of a single call sees.
//
// Hint: Only gradients of parameters are added up. y is overwritten: tensor.Mul, or set it to
// zero before the loop.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		tensor.MulAdd(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	}
}

// only-first-dimension: only the first x.Dim(0) rows are computed, where there are as many rows as
// all leading dimensions make together
//
// Why: An activation is (batch, time, features) more often than (rows, features). The layer treats
// every position alike, so all leading dimensions are rows.
//
// Hint: x.Rows() counts the rows: the product of all dimensions but the last.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		rows := x.Dim(0)
		tensor.Mul(l.y.Matrix().Block(0, 0, rows, dOut), x.Matrix().Block(0, 0, rows, dIn), W.Matrix().T())
	}
}

// last-input-skipped: the sum over the inputs ends one too early
//
// Why: A loop bound that is one too small drops one term of every sum; the result looks plausible,
// because most of it is there.
//
// Hint: The index runs from 0 to in − 1, so the condition is j < in.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		shorter := W.Matrix().Block(0, 0, dOut, dIn-1)
		tensor.Mul(l.y.Matrix(), x.Matrix().Block(0, 0, x.Rows(), dIn-1), shorter.T())
	}
}

// input-unchecked: Forward does not check the width of x itself
//
// Why: Who calls a layer wants to read the layer's name in the error, not that of a product
// inside; and x is kept by then, so that the refused call has changed the layer.
//
// Hint: Begin with tensor.CheckShape.
func (*Linear) Forward() {
	if right {
		tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	} else {
		_ = dIn
	}
}

// no-forward-unchecked: Backward does not look whether a Forward came before
//
// Why: A nil pointer is all that the layer then says. An error that names the layer and what it
// lacks is found in a minute.
//
// Hint: Begin Backward with tensor.CheckShape of what Forward kept.
func (*Linear) Backward() {
	if right {
		tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	} else {
	}
}

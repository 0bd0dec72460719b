// Package embedding turns token ids into vectors by looking them up.
//
// Letters: B batch, T time, D d_model, V vocabulary.
package embedding

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Embedding is a table of vectors, one row for every token of the vocabulary.
type Embedding struct {
	Weight *tensor.Param // (V, D)

	ids         []int          // B·T ids of the last Forward, row after row
	batch, time int            // B and T of the last Forward
	y           *tensor.Tensor // (B, T, D), reused by every Forward
}

// New returns the layer with the given table (V, D). It keeps the Param and
// looks into it in every call: training changes the numbers of its tensors, and
// its owner may put others in their place.
// It panics with a ShapeError if the table is not a matrix.
func New(weight *tensor.Param) *Embedding {
	tensor.CheckShape("embedding.New: weight", weight.Value, tensor.Any, tensor.Any)
	return &Embedding{Weight: weight}
}

// Forward looks up every id:
//
//	y[b, t] = W[ids[b][t]]
//
// ids is (B, T) and y is (B, T, D). Forward copies the ids for Backward; y is
// valid until the next Forward. An id outside 0 ≤ id < V is a
// tensor.IndexError that names its place; rows of different lengths are a
// tensor.ShapeError. Both are returned, and then nothing has changed.
//
// Source: Bengio et al., "A Neural Probabilistic Language Model", 2003, sec. 2.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := e.check(ids); err != nil {
		return nil, err
	}
	e.batch, e.time = len(ids), 0
	e.ids = e.ids[:0]
	for _, row := range ids {
		e.time = len(row)
		e.ids = append(e.ids, row...)
	}
	e.y = tensor.Reuse(e.y, e.batch, e.time, e.Weight.Value.Dim(1))
	for n, id := range e.ids {
		copy(e.y.Row(n), e.Weight.Value.Row(id))
	}
	return e.y, nil
}

// check returns an error unless ids is a rectangle of ids that are in the table.
func (e *Embedding) check(ids [][]int) error {
	vocab := e.Weight.Value.Dim(0)
	for b, row := range ids {
		if len(row) != len(ids[0]) {
			return tensor.ShapeError{Op: fmt.Sprintf("Embedding.Forward: ids[%d]", b),
				Got: []int{len(row)}, Want: []int{len(ids[0])}}
		}
		for t, id := range row {
			if id < 0 || id >= vocab {
				return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
					Got: id, Limit: vocab}
			}
		}
	}
	return nil
}

// Backward takes dy (B, T, D), the gradient of the loss with respect to y, and
// adds the table's gradient to Weight.Grad. There is no dx: ids have no
// derivative. It belongs to the last Forward and panics with a ShapeError if
// dy does not have the shape of y.
func (e *Embedding) Backward(dy *tensor.Tensor) {
	// (1) Let e_n be the one-hot row of the id at place n: W[id_n] = e_n·W.
	// (2) With these rows as a matrix E the look-up is y = E·W,
	// (3) and as in step 02 the gradient is dW = Eᵀ·dy.
	// (4) E picks rows: dW[v] = Σ dy[n] over all n with id_n = v.
	// (5) A row that no id names collects nothing. This is called a scatter-add.
	tensor.CheckShape("Embedding.Backward: dy", dy, e.batch, e.time, e.Weight.Value.Dim(1))
	for n, id := range e.ids {
		grad := e.Weight.Grad.Row(id)
		for j, d := range dy.Row(n) {
			grad[j] += d // (4)
		}
	}
}

// Params returns the layer's one parameter, the table.
func (e *Embedding) Params() []*tensor.Param { return []*tensor.Param{e.Weight} }

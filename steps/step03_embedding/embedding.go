// Package embedding turns token ids into vectors by looking them up.
// This is step 03; the lesson is in README.md beside this file.
//
// Letters: B batch, T time, D d_model, V vocabulary.
package embedding

import "github.com/stubformer/stubformer/reference/tensor"

// Embedding is a table of vectors, one row for every token of the vocabulary.
type Embedding struct {
	Weight *tensor.Param // (V, D)

	// Yours: a copy of the ids of the last Forward with their B and T, because
	// Backward needs them, and the tensor y, so that it can be used again.
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
// ids is (B, T), a slice of B rows of T ids; y is (B, T, D). Forward copies the
// rows of the table into y and copies the ids for Backward: the caller may
// change its own afterwards. Take the memory of y from tensor.Reuse; y is valid
// until the next Forward.
//
// Ids come from data, so a bad one is an error and not a panic:
//
//   - an id outside 0 ≤ id < V: tensor.IndexError with Op
//     "Embedding.Forward: ids[b][t]" (b and t as numbers), Got the id, Limit V;
//   - a row ids[b] not as long as ids[0]: tensor.ShapeError with Op
//     "Embedding.Forward: ids[b]", Got its length, Want the length of ids[0].
//
// Look at all ids before anything is kept or written: after an error Backward
// still belongs to the last Forward that succeeded. No rows, or rows without
// ids, are not an error: y is then empty.
//
// Source: Bengio, Ducharme, Vincent and Jauvin, "A Neural Probabilistic
// Language Model", 2003, section 2.
func (e *Embedding) Forward(ids [][]int) (*tensor.Tensor, error) {
	panic(tensor.TODO("step03: Embedding.Forward"))
}

// Backward takes dy (B, T, D), the gradient of the loss with respect to the y
// of the last Forward, and adds the table's gradient to Weight.Grad:
//
//	dW[v] += Σ dy[b, t]  over all (b, t) with ids[b][t] = v
//
// An id that occurs three times collects three rows of dy; a row of the table
// that no id names is left as it is. There is no dx, since ids are whole
// numbers and have no derivative. dy is not changed.
//
// It panics with a ShapeError if dy does not have the shape of y.
func (e *Embedding) Backward(dy *tensor.Tensor) {
	panic(tensor.TODO("step03: Embedding.Backward"))
}

// Params returns the layer's one parameter, the table.
func (e *Embedding) Params() []*tensor.Param { return []*tensor.Param{e.Weight} }

//go:build unlisted

package attention

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// mask-size-unchecked: the mask is not checked
//
// Why: A mask that is made for another number of queries or keys is no ShapeError: it hides the wrong pairs or panics.
func (*Attention) Forward() {
	if right {
		mask.check(q.Matrices(), n, m)
	} else {
	}
}

// nil-mask-panics: Forward looks into the mask without asking whether there is one
//
// Why: A nil mask, which allows everything, panics with a nil pointer.
func (mask *Mask) check(leading, n, m int) {
	if mask.N != n || mask.M != m {
		panic(tensor.ShapeError{Op: "Attention.Forward: mask", Got: []int{mask.N, mask.M}, Want: []int{n, m}})
	}
	if length := len(mask.Attend); length != n*m && length != leading*n*m {
		panic(tensor.ShapeError{Op: "Attention.Forward: length of mask.Attend", Got: []int{length}, Want: []int{leading * n * m}})
	}
}

// value-width-like-key: v must be as wide as k
//
// Why: A v of another width than K is refused, although C may be any number.
func (*Attention) Forward() {
	if right {
		tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	} else {
		tensor.CheckLead("Attention.Forward: v", v, lead, m, width)
	}
}

// masks-per-head-refused: the mask must have N·M entries
//
// Why: A mask with N·M entries for each leading index is refused.
func (mask *Mask) check(leading, n, m int) {
	if mask == nil {
		return
	}
	if mask.N != n || mask.M != m || len(mask.Attend) != n*m {
		panic(tensor.ShapeError{Op: "Attention.Forward: mask", Got: []int{mask.N, mask.M}, Want: []int{n, m}})
	}
}

// lead-of-k-unchecked: k is checked for its last two dimensions alone
//
// Why: A k with other leading dimensions than q is no ShapeError: surplus matrices are ignored, missing ones are a slice error.
func (*Attention) Forward() {
	if right {
		tensor.CheckLead("Attention.Forward: k", k, lead, tensor.Any, width)
	} else {
		tensor.CheckShape("Attention.Forward: k", k, tensor.Lead, tensor.Any, width)
	}
}

// no-check-for-forward: Backward does not look whether a Forward came before
//
// Why: Backward of a zero value panics with a nil pointer and not with a ShapeError.
func (*Attention) Backward() {
	if right {
		tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	} else {
	}
}

// blind-query-nan: the softmax is written out again, without the case of a row that is all hidden
//
// Why: A query that may attend nowhere gets NaN instead of weights of 0 and y = 0.
func (*Attention) Forward() {
	if right {
		a.weights = softmax.Softmax(a.weights, a.weights, -1)
	} else {
		for r := range a.weights.Rows() {
			row := a.weights.Row(r)
			kernel.AddConst(row, -kernel.Max(row), row)
			kernel.Exp(row, row)
			kernel.Scale(1/kernel.Sum(row), row)
		}
	}
}

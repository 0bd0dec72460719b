// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package rope_test

import (
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step06_rope"
)

func TestStep06(t *testing.T) { subject.Test(t, "step06", functions) }

var functions = subject.Functions{
	"rope.tables": func(in subject.Args) (wire.Values, error) {
		r := New(in.Float("theta"), in.Int("d_k"), in.Int("max_seq_len"))
		return wire.Values{"cos": wire.Tensor(r.Cos), "sin": wire.Tensor(r.Sin)}, nil
	},
	"rope.forward": func(in subject.Args) (wire.Values, error) {
		x, positions := in.Tensor("x").Clone(), in.Rows("positions") // the grader compares x with its own afterwards
		r, inPlace := ropeFor(x, in), x.Clone()
		y := in.Into("y", func(dst *tensor.Tensor) *tensor.Tensor { return r.Forward(dst, x, positions) })
		// x is as it was
		without := r.Forward(nil, x, positions)
		// as attention turns its queries
		return in.InPlace("x", "y", without, y, r.Forward(inPlace, inPlace, positions),
			wire.Values{"x": wire.Tensor(x)}), nil
	},
	"rope.backward": func(in subject.Args) (wire.Values, error) {
		dy, positions := in.Tensor("dy"), in.Rows("positions")
		r, inPlace := ropeFor(dy, in), dy.Clone()
		dx := in.Into("dx", func(dst *tensor.Tensor) *tensor.Tensor { return r.Backward(dst, dy, positions) })
		without := r.Backward(nil, dy, positions)
		return in.InPlace("dy", "dx", without, dx, r.Backward(inPlace, inPlace, positions), wire.Values{}), nil
	},
}

// ropeFor returns the RoPE for rows as long as those of x.
func ropeFor(x *tensor.Tensor, in subject.Args) *RoPE {
	tensor.CheckShape("rope: x or dy", x, tensor.Lead, tensor.Any)
	return subject.Kept(in, func() *RoPE { return New(in.Float("theta"), x.Dim(-1), in.Int("max_seq_len")) },
		subject.NoParams, nil)
}

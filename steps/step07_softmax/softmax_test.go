// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package softmax_test

import (
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step07_softmax"
)

func TestStep07(t *testing.T) { subject.Test(t, "step07", functions) }

var functions = subject.Functions{
	"softmax.forward": func(in subject.Args) (wire.Values, error) {
		x, axis := in.Tensor("x"), in.Int("axis")
		y := in.Into("y", func(dst *tensor.Tensor) *tensor.Tensor { return Softmax(dst, x, axis) })
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"softmax.backward": func(in subject.Args) (wire.Values, error) {
		y, dy, axis := in.Tensor("x").Clone(), in.Tensor("dy"), in.Int("axis")
		if rank := len(y.Shape); -rank <= axis && axis < rank { // any other is for Backward to refuse
			y = Softmax(y, y, axis) // in place
		}
		dx, inPlace := in.Into("dx", func(dst *tensor.Tensor) *tensor.Tensor { return Backward(dst, y, dy, axis) }),
			dy.Clone()
		// as attention calls it
		return in.InPlace("dy", "dx", Backward(nil, y, dy, axis), dx, Backward(inPlace, y, inPlace, axis),
			wire.Values{}), nil
	},
	"logsumexp": func(in subject.Args) (wire.Values, error) {
		y := in.New("y", func() *tensor.Tensor { return LogSumExp(in.Tensor("x"), in.Int("axis")) })
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"cross_entropy.forward": func(in subject.Args) (wire.Values, error) {
		c := crossEntropy(in)
		var loss float64
		var err error
		in.Twice(func() {
			targets := in.Rows("targets")
			loss, err = forward(c, in, targets)
			in.Overwrite(targets) // as the caller may
		})
		if err != nil {
			return nil, err
		}
		return wire.Values{"loss": wire.Float(loss)}, nil
	},
	"cross_entropy.backward": func(in subject.Args) (wire.Values, error) {
		c := crossEntropy(in)
		var dlogits *tensor.Tensor
		var err error
		in.Twice(func() {
			if in.Has("logits") { // Backward without a Forward before it is refused
				_, err = forward(c, in, in.Rows("targets"))
			}
			if err == nil {
				dlogits = in.Watch("dlogits", c.Backward())
			}
		})
		if err != nil {
			return nil, err
		}
		return wire.Values{"dlogits": wire.Tensor(dlogits)}, nil
	},
}

func crossEntropy(in subject.Args) *CrossEntropy {
	return subject.Kept(in, func() *CrossEntropy { return new(CrossEntropy) }, subject.NoParams, nil)
}

// forward calls Forward, which panics where logits has not three dimensions and
// returns every other error.
func forward(c *CrossEntropy, in subject.Args, targets [][]int) (loss float64, err error) {
	logits := in.Tensor("logits")
	if len(logits.Shape) != 3 {
		return c.Forward(logits, targets)
	}
	in.Returned(func() { loss, err = c.Forward(logits, targets) })
	return loss, subject.Typed(err)
}

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
		return wire.Values{"y": wire.Tensor(Softmax(nil, in.Tensor("x"), in.Int("axis")))}, nil
	},
	"softmax.backward": func(in subject.Args) (wire.Values, error) {
		x, dy, axis := in.Tensor("x").Clone(), in.Tensor("dy").Clone(), in.Int("axis")
		y := Softmax(x, x, axis)   // in place
		Backward(nil, y, dy, axis) // into a new tensor, and then in place
		return wire.Values{"dx": wire.Tensor(Backward(dy, y, dy, axis))}, nil
	},
	"logsumexp": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"y": wire.Tensor(LogSumExp(in.Tensor("x"), in.Int("axis")))}, nil
	},
	"cross_entropy.forward": func(in subject.Args) (wire.Values, error) {
		c := crossEntropy(in)
		var loss float64
		var err error
		in.Twice(func() { loss, err = c.Forward(in.Tensor("logits"), in.IDs("targets")) })
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
				targets := in.IDs("targets")
				_, err = c.Forward(in.Tensor("logits"), targets)
				in.Overwrite(targets) // as the caller may
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

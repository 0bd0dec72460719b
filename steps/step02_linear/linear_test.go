// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.

package linear_test

import (
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step02_linear"
)

func TestStep02(t *testing.T) { subject.Test(t, "step02", functions) }

var functions = subject.Functions{
	"linear.forward": func(in subject.Args) (wire.Values, error) {
		l := layer(in)
		var y *tensor.Tensor
		in.Twice(func() { y = in.Watch("y", l.Forward(in.Tensor("x"))) })
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"linear.backward": func(in subject.Args) (wire.Values, error) {
		l := layer(in)
		var dx *tensor.Tensor
		in.Twice(func() {
			if in.Has("x") { // Backward without a Forward before it is refused
				in.Watch("y", l.Forward(in.Tensor("x")))
			}
			dx = in.Watch("dx", l.Backward(in.Tensor("dy")))
		}, l.Weight)
		return wire.Values{"dx": wire.Tensor(dx), "dw": wire.Tensor(l.Weight.Grad)}, nil
	},
}

func layer(in subject.Args) *Linear {
	return subject.Kept(in, func() *Linear { return New(in.Param("w")) },
		func(l *Linear) []*tensor.Param { return in.Anew(l.Weight) }, []string{"w"})
}

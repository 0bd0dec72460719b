// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.

package rmsnorm_test

import (
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step04_rmsnorm"
)

func TestStep04(t *testing.T) { subject.Test(t, "step04", functions) }

var functions = subject.Functions{
	"rmsnorm.forward": func(in subject.Args) (wire.Values, error) {
		l := New(in.Param("g"))
		var y *tensor.Tensor
		subject.Twice(func() { y = l.Forward(in.Tensor("x")) })
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"rmsnorm.backward": func(in subject.Args) (wire.Values, error) {
		g := in.ParamGrad("g", "dg_before")
		l := New(g)
		var dx *tensor.Tensor
		subject.Twice(func() {
			if in.Has("x") { // Backward without a Forward before it is refused
				l.Forward(in.Tensor("x"))
			}
			dx = l.Backward(in.Tensor("dy"))
		}, g)
		return wire.Values{"dx": wire.Tensor(dx), "dg": wire.Tensor(g.Grad)}, nil
	},
}

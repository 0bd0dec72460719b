// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.

package embedding_test

import (
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step03_embedding"
)

func TestStep03(t *testing.T) { subject.Test(t, "step03", functions) }

var functions = subject.Functions{
	"embedding.forward": func(in subject.Args) (wire.Values, error) {
		e := New(in.Param("w"))
		var y *tensor.Tensor
		var err error
		subject.Twice(func() { y, err = e.Forward(in.IDs("ids")) })
		if err != nil {
			return nil, err
		}
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"embedding.backward": func(in subject.Args) (wire.Values, error) {
		w := in.ParamGrad("w", "dw_before")
		e := New(w)
		var err error
		subject.Twice(func() {
			if _, err = e.Forward(in.IDs("ids")); err == nil {
				e.Backward(in.Tensor("dy"))
			}
		}, w)
		if err != nil {
			return nil, err
		}
		return wire.Values{"dw": wire.Tensor(w.Grad)}, nil
	},
}

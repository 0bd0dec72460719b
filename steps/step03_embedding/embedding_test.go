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
		e := layer(in)
		var y *tensor.Tensor
		var err error
		in.Twice(func() {
			ids := in.Rows("ids")
			in.Returned(func() { y, err = e.Forward(ids) })
			in.Watch("y", y)
			in.Overwrite(ids) // as the caller may
		})
		if err != nil {
			return nil, subject.Typed(err)
		}
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"embedding.backward": func(in subject.Args) (wire.Values, error) {
		e := layer(in)
		var y *tensor.Tensor
		var err error
		in.Twice(func() {
			if in.Has("ids") { // Backward without a Forward before it is refused
				y, err = e.Forward(in.IDs("ids"))
				in.Watch("y", y)
			}
			if err == nil {
				e.Backward(in.Tensor("dy"))
			}
		}, e.Weight)
		if err != nil {
			return nil, err
		}
		return wire.Values{"dw": wire.Tensor(e.Weight.Grad)}, nil
	},
}

func layer(in subject.Args) *Embedding {
	return subject.Kept(in, func() *Embedding { return New(in.Param("w")) },
		func(e *Embedding) []*tensor.Param { return in.Anew(e.Weight) }, []string{"w"})
}

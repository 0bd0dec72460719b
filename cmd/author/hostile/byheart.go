package hostile

import (
	"fmt"
	"hash/fnv"
	"math"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// byHeart is a submission that holds the answers to all fixtures of the linear
// layer, which are public, and gives them where it recognises the input.
// Otherwise it answers with zeros.
func byHeart() Case {
	c := Case{Name: "made-fixtures-by-heart", Step: step, Says: "The stored fixtures are right", Verdicts: []verdict.Kind{verdict.WrongValues}}
	c.write = func(_, path string) (string, error) {
		set, err := fixtures.Load()
		if err != nil {
			return "", err
		}
		var answers strings.Builder
		learn := func(answer wire.Value, asked ...wire.Value) {
			fmt.Fprintf(&answers, "\t%#x: {", question(asked))
			for _, y := range answer.F32 {
				fmt.Fprintf(&answers, "%g, ", y)
			}
			answers.WriteString("},\n")
		}
		for _, f := range set.Cases("linear.forward") {
			learn(f.Out["y"], f.In["x"], f.In["w"])
		}
		for _, f := range set.Cases("linear.backward") {
			learn(f.Out["dx"], f.In["x"], f.In["w"], f.In["dy"])
			learn(f.Out["dw"], f.In["x"], f.In["w"], f.In["dy"], f.In["dw_before"])
		}
		files := []txtar.File{{Name: "linear.go", Data: []byte(rote)}, {Name: "answers.go", Data: []byte(clause + "\nvar answers = map[uint64][]float32{\n" + answers.String() + "}\n")}}
		return path, write("", filepath.Join(path, folder), "", files)
	}
	return c
}

// question is the hash by which the submission recognises an input.
func question(arrays []wire.Value) uint64 {
	h := fnv.New64a()
	for _, a := range arrays {
		for _, x := range a.F32 {
			bits := math.Float32bits(x)
			h.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
		}
	}
	return h.Sum64()
}

// rote is the source of the submission without its answers.
const rote = `package linear

import (
	"hash/fnv"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Linear recites.
type Linear struct {
	Weight *tensor.Param
	x      *tensor.Tensor
}

// New returns the layer.
func New(weight *tensor.Param) *Linear { return &Linear{Weight: weight} }

// Params returns the weight.
func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }

// Forward looks y up.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	l.x = x
	shape := append([]int{}, x.Shape...)
	shape[len(shape)-1] = l.Weight.Value.Shape[0]
	y := tensor.New(shape...)
	recite(y, x, l.Weight.Value)
	return y
}

// Backward looks dx and dW up.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	dx := tensor.New(l.x.Shape...)
	recite(dx, l.x, l.Weight.Value, dy)
	recite(l.Weight.Grad, l.x, l.Weight.Value, dy, l.Weight.Grad)
	return dx
}

func recite(dst *tensor.Tensor, asked ...*tensor.Tensor) {
	h := fnv.New64a()
	for _, a := range asked {
		for _, x := range a.Data {
			bits := math.Float32bits(x)
			h.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
		}
	}
	copy(dst.Data, answers[h.Sum64()])
}
`

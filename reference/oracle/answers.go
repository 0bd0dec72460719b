package oracle

import (
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

// answers are the functions of the wire by name. Every file of formulas says in its
// init what it answers, so that a new step changes no file of another; what a function
// takes and gives is declared in fixtures/*/functions.txt.
var answers = map[string]func(*call) (wire.Values, error){}

// answer makes Eval answer a function. It panics where two claim the same name.
func answer(name string, run func(*call) (wire.Values, error)) {
	if answers[name] != nil {
		panic(fmt.Sprintf("oracle: %s is answered twice", name))
	}
	answers[name] = run
}

// layer makes Eval answer both passes of a layer: NAME.forward and NAME.backward, as
// far as they are declared. The results of forward are in their declared order.
func layer(name string, forward func(c *call) ([]*autodiff.Tensor, error)) {
	p := piece{name, forward}
	answer(name+".forward", p.evalForward)
	answer(name+".backward", p.evalBackward)
}

func one(y *autodiff.Tensor) ([]*autodiff.Tensor, error) { return []*autodiff.Tensor{y}, nil }

// Functions returns the names of the functions that Eval answers.
func Functions() []string {
	var names []string
	for name := range answers {
		if _, ok := fixtures.Declared(name); ok {
			names = append(names, name)
		}
	}
	return names
}

// piece is a layer whose two wire functions follow one rule:
//
//	name.forward   args -> y
//	name.backward  args, dy, and d<param>_before for each parameter
//	               -> d<input> for each input, d<param> for each parameter
type piece struct {
	name    string
	forward func(c *call) ([]*autodiff.Tensor, error) // the results, in their declared order
}

// outputs returns what the piece's forward function gives.
func (p piece) outputs() []fixtures.Arg {
	forward, _ := fixtures.Declared(p.name + ".forward")
	return forward.Out
}

func (p piece) evalForward(c *call) (wire.Values, error) {
	outputs, err := p.forward(c)
	if err != nil {
		return nil, err
	}
	outputs = c.edited(p.outputs(), outputs...)
	out := wire.Values{}
	for i, declared := range p.outputs() {
		out[declared.Name] = result(outputs[i])
	}
	return out, nil
}

func (p piece) evalBackward(c *call) (wire.Values, error) {
	outputs, err := p.forward(c)
	if err != nil {
		return nil, err
	}
	outputs = c.edited(p.outputs(), outputs...)
	outputs[0].Backward(widen(c.in["d"+p.outputs()[0].Name]))
	out := wire.Values{}
	backward, _ := fixtures.Declared(c.function)
	for _, declared := range backward.Out {
		if of, ok := strings.CutPrefix(declared.Name, "d"); ok && backward.Arg(of) != nil {
			out[declared.Name] = c.gradient(of, declared.Name+"_before")
		}
	}
	return out, nil
}

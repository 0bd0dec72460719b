package oracle

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

// Eval answers a deterministic function of the wire, such as "linear.forward"
// or "block.backward", in float64. Arguments of type f32 are widened (f64 is
// taken too); results that a subject returns as f32 are f64 values; integers
// stay i64 and masks bool.
//
// An unknown function, and arguments that are missing, superfluous, of the
// wrong type or shape, or out of range, are errors; the latter are InputErrors.
func Eval(function string, in wire.Values) (wire.Values, error) {
	f, ok := functions()[function]
	if !ok {
		return nil, fmt.Errorf("oracle: unknown function %q", function)
	}
	c, err := open(function, f.args(in), in)
	if err != nil {
		return nil, err
	}
	return f.run(c)
}

// Functions returns the names of the functions that Eval answers.
func Functions() []string {
	var names []string
	for name := range functions() {
		names = append(names, name)
	}
	return names
}

// function is one function of the wire.
type function struct {
	args func(in wire.Values) []argument // the arguments, where they depend on the call: the layers of a model
	run  func(c *call) (wire.Values, error)
}

// with gives the arguments of a function that always has the same.
func with(args ...argument) func(wire.Values) []argument {
	return func(wire.Values) []argument { return args }
}

// functions returns everything that Eval answers.
func functions() map[string]function {
	all := map[string]function{
		"gain":                   {with(integer("d", 0)), gain},
		"dff":                    {with(integer("d_model", 1)), dff},
		"rope.tables":            {with(number("theta"), integer("d_k", 2), integer("max_seq_len", 0)), ropeTables},
		"rope.forward":           {with(append([]argument{array("x", "B … T K")}, ropeArguments()...)...), ropeForward},
		"rope.backward":          {with(append([]argument{array("dy", "B … T K")}, ropeArguments()...)...), ropeBackward},
		"logsumexp":              {with(array("x", "…"), integer("axis", -maxSize)), logSumExp},
		"cross_entropy.forward":  {with(lossArguments()...), crossEntropyForward},
		"cross_entropy.backward": {with(lossArguments()...), crossEntropyBackward},
		"causal_mask":            {with(integer("n", 0)), causalMask},
		"lm.forward":             {modelArguments, lmForward},
		"lm.backward":            {targetArguments, lmBackward},
		"lm.generate":            {generateArguments, lmGenerate},
		"lm.accounting":          {with(accountingArguments()...), lmAccounting},
		"sample.probs":           {with(array("logits", "V"), number("temperature"), number("top_p")), sampleProbs},
	}
	for _, p := range pieces() {
		all[p.name+".forward"] = function{with(p.args...), p.evalForward}
		all[p.name+".backward"] = function{with(p.backwardArguments()...), p.evalBackward}
	}
	return all
}

// piece is a layer whose two wire functions follow one rule:
//
//	name.forward   args -> y
//	name.backward  args, dy, and d<param>_before for each parameter
//	               -> d<input> for each input, d<param> for each parameter
type piece struct {
	name    string
	args    []argument
	outputs []argument // the first is the one whose gradient backward takes
	inputs  []string   // arguments whose gradient is returned
	params  []string   // arguments whose gradient is added to what was there
	forward func(c *call) ([]*autodiff.Tensor, error)
}

func (p piece) evalForward(c *call) (wire.Values, error) {
	outputs, err := p.forward(c)
	if err != nil {
		return nil, err
	}
	out := wire.Values{}
	for i, y := range outputs {
		out[p.outputs[i].name] = result(y)
	}
	return out, nil
}

func (p piece) evalBackward(c *call) (wire.Values, error) {
	outputs, err := p.forward(c)
	if err != nil {
		return nil, err
	}
	outputs[0].Backward(widen(c.in["d"+p.outputs[0].name]))
	out := wire.Values{}
	for _, name := range p.inputs {
		out["d"+name] = c.gradient(name, "")
	}
	for _, name := range p.params {
		out["d"+name] = c.gradient(name, "d"+name+"_before")
	}
	return out, nil
}

// backwardArguments returns the arguments of forward, the gradient of its first
// output, and the parameters' gradient buffers.
func (p piece) backwardArguments() []argument {
	upstream := array("d"+p.outputs[0].name, p.outputs[0].shape)
	args := append(slices.Clone(p.args), upstream)
	for _, a := range p.args {
		if slices.Contains(p.params, a.name) {
			args = append(args, array("d"+a.name+"_before", a.shape))
		}
	}
	return args
}

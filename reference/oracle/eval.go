package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
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
	return eval(function, in, func(*call) {})
}

// EvalRough is Eval with results that are a few roundings of float32 off, on the way
// as well; see autodiff.Tensor.Rough.
func EvalRough(function string, in wire.Values, rng *rand.Rand) (wire.Values, error) {
	return eval(function, in, func(c *call) { c.rough = rng })
}

func eval(function string, in wire.Values, set func(*call)) (wire.Values, error) {
	run, answered := functions()[function]
	declared, ok := fixtures.Declared(function)
	if !ok || !answered {
		return nil, fmt.Errorf("oracle: unknown function %q", function)
	}
	c, err := open(declared, in)
	if err != nil {
		return nil, err
	}
	set(c)
	return run(c)
}

// Functions returns the names of the functions that Eval answers.
func Functions() []string {
	var names []string
	for name := range functions() {
		names = append(names, name)
	}
	return names
}

// answers are functions of the wire by their names.
type answers = map[string]func(*call) (wire.Values, error)

// functions returns everything that Eval answers. What a function takes and gives
// is declared in fixtures/*/functions.txt.
func functions() answers {
	all := answers{
		"gain":                   gain,
		"dff":                    dff,
		"rope.tables":            ropeTables,
		"rope.forward":           ropeForward,
		"rope.backward":          ropeBackward,
		"logsumexp":              logSumExp,
		"cross_entropy.forward":  crossEntropyForward,
		"cross_entropy.backward": crossEntropyBackward,
		"causal_mask":            causalMask,
		"lm.forward":             lmForward,
		"lm.backward":            lmBackward,
		"lm.generate":            lmGenerate,
		"lm.accounting":          lmAccounting,
		"sample.probs":           sampleProbs,
		"pretokens":              preTokens,
		"bpe.train":              bpeTrain,
		"bpe.roundtrip":          bpeRoundtrip,
		"bpe.encode":             bpeEncode,
		"bpe.encode_reader":      bpeEncode,
		"bpe.decode":             bpeDecode,
		"bpe.read":               bpeRead,
	}
	for _, p := range pieces() {
		maps.Copy(all, p.answers())
	}
	for _, step := range stepAnswers() {
		maps.Copy(all, step)
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
	forward func(c *call) ([]*autodiff.Tensor, error) // the results, in their declared order
}

// answers are the piece's functions, as far as they are declared.
func (p piece) answers() answers {
	all := answers{p.name + ".forward": p.evalForward, p.name + ".backward": p.evalBackward}
	maps.DeleteFunc(all, func(name string, _ func(*call) (wire.Values, error)) bool {
		_, declared := fixtures.Declared(name)
		return !declared
	})
	return all
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

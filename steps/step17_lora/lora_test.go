// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package lora_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step17_lora"
)

func TestStep17(t *testing.T) { subject.Test(t, "step17", functions) }

var functions = subject.Functions{
	"lora.init":            initial,
	"lora.forward":         forward,
	"lora.backward":        backward,
	"lora.delta":           delta,
	"lora.merged":          merged,
	"lora.optimizer":       optimizer,
	"lora.saved":           saved,
	"lora.loaded":          loaded,
	"example.one":          one,
	"example.batch":        batch,
	"example.pack":         pack,
	"answer_loss.forward":  lossForward,
	"answer_loss.backward": lossBackward,
}

func initial(in subject.Args) (wire.Values, error) {
	a, b := Init(in.Int("out"), in.Int("in"), in.Int("rank"), rand.New(rand.NewPCG(uint64(in.Int("seed")), 17)))
	return wire.Values{"a": wire.Tensor(a), "b": wire.Tensor(b)}, nil
}

func forward(in subject.Args) (wire.Values, error) {
	l := layer(in)
	var y *tensor.Tensor
	in.Twice(func() { y = in.Watch("y", l.Forward(in.Tensor("x"))) })
	return wire.Values{"y": wire.Tensor(y)}, nil
}

func backward(in subject.Args) (wire.Values, error) {
	l := layer(in)
	var dx *tensor.Tensor
	in.Twice(func() {
		if in.Has("x") { // Backward without a Forward before it is refused
			in.Watch("y", l.Forward(in.Tensor("x")))
		}
		dx = in.Watch("dx", l.Backward(in.Tensor("dy")))
	}, l.Weight, l.A, l.B)
	return wire.Values{"dx": wire.Tensor(dx), "frozen": wire.Tensor(l.Weight.Grad),
		"da": wire.Tensor(l.A.Grad), "db": wire.Tensor(l.B.Grad)}, nil
}

// delta returns the product, and changes one that was returned before: it is the caller's.
func delta(in subject.Args) (wire.Values, error) {
	l := layer(in)
	l.Delta().Fill(0.5)
	return wire.Values{"delta": wire.Tensor(l.Delta())}, nil
}

// merged merges and unmerges, on a weight of its own.
func merged(in subject.Args) (wire.Values, error) {
	w := in.Param("w")
	l := New(tensor.NewParam("w", w.Value.Clone()), in.Param("a"), in.Param("b"), in.Float("alpha"))
	if in.Has("dy") { // a Backward behind all the others has nothing of this one
		l.Forward(in.Tensor("x"))
	}
	for _, merge := range in.Ints("turns") {
		if merge == 1 {
			l.Merge()
		} else {
			l.Unmerge()
		}
	}
	var y *tensor.Tensor
	in.Twice(func() { y = in.Watch("y", l.Forward(in.Tensor("x"))) })
	if in.Has("dy") { // of a merged layer this is refused
		l.Backward(in.Tensor("dy"))
	}
	return wire.Values{"weight": wire.Tensor(l.Weight.Value), "y": wire.Tensor(y)}, nil
}

// stack returns the parameters of layers whose numbers lie one behind the other, as copies.
func stack(in subject.Args, name string) []*tensor.Param {
	var params []*tensor.Param
	t := in.Tensor(name)
	for l := range t.Dim(0) {
		params = append(params, tensor.NewParam(name, t.Slice(l, l+1).Reshape(t.Dim(1), t.Dim(2)).Clone()))
	}
	return params
}

// together is the opposite of stack.
func together(params []*tensor.Param) wire.Value {
	var all []float32
	for _, p := range params {
		all = append(all, p.Value.Data...)
	}
	return wire.Float32s(all, append([]int{len(params)}, params[0].Value.Shape...)...)
}

// optimizer makes updates of all layers together.
func optimizer(in subject.Args) (wire.Values, error) {
	weights, a, b := stack(in, "w"), stack(in, "a"), stack(in, "b")
	var layers []*Linear
	var known []*tensor.Param
	for i, w := range weights {
		layers = append(layers, New(w, a[i], b[i], in.Float("alpha")))
		known = append(known, a[i], b[i])
	}
	s := in.Float64s("settings")
	o := Optimizer(layers, s[0], s[1], s[2], s[3])
	var before []*tensor.Tensor
	for _, p := range o.Params {
		before = append(before, p.Value.Clone())
	}
	for range in.Int("steps") {
		for _, p := range o.Params {
			p.ZeroGrad()
		}
		for _, l := range layers {
			l.Forward(in.Tensor("x"))
			l.Backward(in.Tensor("dy"))
		}
		o.Step(in.Float("lr"))
	}
	params, moved := make([]int64, len(o.Params)), make([]int64, len(o.Params))
	for i, p := range o.Params {
		params[i] = int64(slices.Index(known, p))
		if !slices.Equal(p.Value.Data, before[i].Data) {
			moved[i] = 1
		}
	}
	return wire.Values{"weight": together(weights), "params": wire.Ints(params, len(params)),
		"moved": wire.Ints(moved, len(moved)),
		"set":   wire.Floats([]float64{o.Beta1, o.Beta2, o.Eps, o.WeightDecay}, 4)}, nil
}

// named are the layers by their names.
func named(weights, a, b []*tensor.Param, alpha func(l int) float64) map[string]*Linear {
	layers := map[string]*Linear{}
	for l, w := range weights {
		layers[nameOf(l)] = New(w, a[l], b[l], alpha(l))
	}
	return layers
}

func nameOf(l int) string { return fmt.Sprintf("layers.%d.attn.output_proj", l) }

// others are layers of the same weights with adapters of another rank and of ones, merged.
func others(in subject.Args) map[string]*Linear {
	weights, rank := stack(in, "w"), in.Int("rank")
	var a, b []*tensor.Param
	for range weights {
		a = append(a, tensor.NewParam("a", tensor.New(rank, weights[0].Value.Dim(1))))
		b = append(b, tensor.NewParam("b", tensor.New(weights[0].Value.Dim(0), rank)))
		a[len(a)-1].Value.Fill(1)
		b[len(b)-1].Value.Fill(1)
	}
	layers := named(weights, a, b, func(int) float64 { return 1 })
	for _, l := range layers {
		l.Merge()
	}
	return layers
}

// saved saves adapters and loads them into other layers. What was saved and what was
// loaded is changed afterwards: both are copies.
func saved(in subject.Args) (wire.Values, error) {
	a, b, alphas := stack(in, "a"), stack(in, "b"), in.Float64s("alphas")
	layers := named(stack(in, "w"), a, b, func(l int) float64 { return alphas[l] })
	state := State(layers)
	for l := range a {
		a[l].Value.Fill(9)
		b[l].Value.Fill(9)
		layers[nameOf(l)].Alpha = 9
	}
	numbers, loaded := 0, others(in)
	for _, t := range state {
		numbers += t.Len()
	}
	if err := Load(loaded, state); err != nil {
		return nil, err
	}
	for _, t := range state {
		t.Fill(9)
	}
	x := in.Tensor("x")
	y := wire.Float32s(nil, len(a), x.Rows(), layers[nameOf(0)].Weight.Value.Dim(0))
	for l := range a {
		own := loaded[nameOf(l)]
		y.F32 = append(y.F32, own.Forward(x).Data...)
		if !own.A.Value.SameShape(own.A.Grad) || !own.B.Value.SameShape(own.B.Grad) {
			return nil, subject.Broken("after Load the gradients of A and B have other shapes than the values")
		}
	}
	return wire.Values{"y": y, "tensors": wire.Int(len(state)), "numbers": wire.Int(numbers)}, nil
}

// loaded loads a state in which one thing is wrong, and returns whether that was refused,
// with an error that names it, and whether the layers are as before.
func loaded(in subject.Args) (wire.Values, error) {
	alphas := in.Float64s("alphas")
	state := State(named(stack(in, "w"), stack(in, "a"), stack(in, "b"), func(l int) float64 { return alphas[l] }))
	name := in.Text("name")
	switch in.Text("wrong") {
	case "missing":
		delete(state, name)
	case "shape":
		state[name] = tensor.New(state[name].Dim(0)+1, 5, 2)
	case "width":
		state[name] = tensor.New(state[name].Dim(0), state[name].Dim(1)+1)
	case "surplus":
		state[name] = tensor.New(2, 3)
	}
	layers, x := others(in), in.Tensor("x")
	outputs := func() (all []float32) {
		for l := range len(layers) {
			all = append(all, layers[nameOf(l)].Forward(x).Data...)
			all = append(all, layers[nameOf(l)].Weight.Value.Data...)
		}
		return all
	}
	before := outputs()
	err := Load(layers, state)
	out := wire.Values{"refused": flag(err != nil), "named": flag(false),
		"kept": flag(slices.Equal(before, outputs()))}
	if err != nil {
		out["named"] = flag(strings.Contains(err.Error(), name[:strings.LastIndex(name, ".")]))
	}
	return out, nil
}

func flag(is bool) wire.Value {
	if is {
		return wire.Int(1)
	}
	return wire.Int(0)
}

func one(in subject.Args) (wire.Values, error) {
	question, answer := in.Ints("question"), in.Ints("answer")
	kept := slices.Concat(question, answer)
	e := NewExample(question, answer, in.Int("end"))
	for i := range e.IDs { // what is returned is the caller's
		e.IDs[i]++
	}
	if !slices.Equal(kept, slices.Concat(question, answer)) {
		return nil, subject.Broken("an example shares memory with its question or its answer")
	}
	for i := range e.IDs {
		e.IDs[i]--
	}
	return wire.Values{"ids": ints(e.IDs), "targets": ints(e.Targets),
		"counted": wire.Bools(e.Counted, len(e.Counted))}, nil
}

func ints(all []int) wire.Value {
	out := wire.Ints(nil, len(all))
	for _, n := range all {
		out.I64 = append(out.I64, int64(n))
	}
	return out
}

// examples are those of the arguments.
func examples(in subject.Args) []Example {
	var all []Example
	questions, answers, lengths := in.Ints("questions"), in.Ints("answers"), in.Ints("answer_lengths")
	for i, n := range in.Ints("question_lengths") {
		all = append(all, NewExample(questions[:n], answers[:lengths[i]], in.Int("end")))
		questions, answers = questions[n:], answers[lengths[i]:]
	}
	return all
}

func batch(in subject.Args) (wire.Values, error) {
	all := examples(in)
	Batch(all, in.Int("pad")+1) // leaves the examples as they are
	ids, targets, counted := Batch(all, in.Int("pad"))
	idRows, err := rows(ids)
	if err != nil {
		return nil, err
	}
	targetRows, err := rows(targets)
	if err != nil {
		return nil, err
	}
	flat := slices.Concat(counted...)
	if len(counted) == 0 || len(flat)%len(counted) != 0 {
		return nil, subject.Broken("the rows of counted differ in length")
	}
	return wire.Values{"ids": idRows, "targets": targetRows,
		"counted": wire.Bools(flat, len(counted), len(flat)/len(counted))}, nil
}

// rows returns rows of one length as an array.
func rows(all [][]int) (wire.Value, error) {
	out := ints(slices.Concat(all...))
	for _, row := range all {
		if len(row) != len(all[0]) {
			return out, subject.Broken("the rows of a batch have %d and %d entries", len(all[0]), len(row))
		}
	}
	if len(all) == 0 {
		return out, subject.Broken("the batch has no rows")
	}
	out.Shape = []int{len(all), len(all[0])}
	return out, nil
}

func pack(in subject.Args) (wire.Values, error) {
	all := examples(in)
	Batch(all, in.Int("pad")+1) // leaves the examples as they are
	e, attend := Pack(all, in.Int("length"), in.Int("pad"))
	n := len(e.IDs)
	if len(attend) != n*n {
		return nil, subject.Broken("attend has %d entries for %d positions", len(attend), n)
	}
	return wire.Values{"ids": ints(e.IDs), "targets": ints(e.Targets),
		"counted": wire.Bools(e.Counted, len(e.Counted)),
		"attend":  wire.Bools(attend, n, n)}, nil
}

// counted returns what counts, in rows.
func counted(in subject.Args) [][]bool {
	flat, shape := in.Bools("counted")
	all := make([][]bool, shape[0])
	for b := range all {
		all[b] = slices.Clone(flat[b*shape[1] : (b+1)*shape[1]])
	}
	return all
}

func lossForward(in subject.Args) (wire.Values, error) {
	l := answerLoss(in)
	var loss float64
	var err error
	in.Twice(func() { loss, err = lossOf(l, in, counted(in)) })
	return wire.Values{"loss": wire.Float(loss)}, err
}

func lossBackward(in subject.Args) (wire.Values, error) {
	l := answerLoss(in)
	var d *tensor.Tensor
	var err error
	in.Twice(func() {
		if in.Has("logits") {
			flags := counted(in)
			if _, err = lossOf(l, in, flags); err != nil {
				return
			}
			for b := range flags { // the caller uses its slices again
				clear(flags[b])
			}
		}
		d = in.Watch("dlogits", l.Backward())
	})
	if err != nil {
		return nil, err
	}
	return wire.Values{"dlogits": wire.Tensor(d)}, nil
}

func answerLoss(in subject.Args) *AnswerLoss {
	return subject.Kept(in, func() *AnswerLoss { return new(AnswerLoss) }, subject.NoParams, nil)
}

// lossOf calls Forward, which panics where logits has not three dimensions and returns
// every other error.
func lossOf(l *AnswerLoss, in subject.Args, flags [][]bool) (loss float64, err error) {
	logits, targets := in.Tensor("logits"), in.IDs("targets")
	if len(logits.Shape) != 3 {
		return l.Forward(logits, targets, flags)
	}
	in.Returned(func() { loss, err = l.Forward(logits, targets, flags) })
	return loss, subject.Typed(err)
}

// layer returns the layer that the arguments describe.
func layer(in subject.Args) *Linear {
	l := subject.Kept(in, func() *Linear {
		l := New(in.Param("w"), in.Param("a"), in.Param("b"), in.Float("alpha"))
		if p := l.Params(); len(p) != 2 || p[0] != l.A || p[1] != l.B {
			panic(subject.Broken("Params does not return A and B, and nothing else"))
		}
		return l
	}, func(l *Linear) []*tensor.Param { return in.Anew(l.Weight, l.A, l.B) }, []string{"w", "a", "b"})
	l.Alpha = in.Float("alpha")
	return l
}

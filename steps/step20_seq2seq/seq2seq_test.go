// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package seq2seq_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step19_classic"
	. "github.com/stubformer/stubformer/steps/step20_seq2seq"
)

func TestStep20(t *testing.T) { subject.Test(t, "step20", functions) }

var functions = subject.Functions{
	"attend.forward":       attendForward,
	"attend.backward":      attendBackward,
	"encoder.forward":      encoderForward,
	"encoder.backward":     encoderBackward,
	"decoder.forward":      decoderForward,
	"decoder.backward":     decoderBackward,
	"transformer.forward":  transformerForward,
	"transformer.backward": transformerBackward,
	"smoothing.forward":    smoothingForward,
	"smoothing.backward":   smoothingBackward,
	"rate":                 rate,
	"teach":                teach,
	"corrupt":              corrupt,
	"greedy":               greedy,
	"beam":                 beam,
	"translate":            translate,
}

var (
	weights = []string{"wq", "wk", "wv", "wo"}
	stack   = []string{"attn", "norms", "w1", "b1", "w2", "b2"}
	tables  = []string{"embed_source", "embed_target", "head"}
)

// kept is a layer with the arrays that its parameters are parts of.
type kept[L any] struct {
	layer  L
	params []*tensor.Param
}

func paramsOf[L any](k kept[L]) []*tensor.Param { return k.params }

// packed returns the parameters of the given names.
func packed(in subject.Args, names []string) []*tensor.Param {
	var all []*tensor.Param
	for _, name := range names {
		all = append(all, in.Param(name))
	}
	return all
}

// part is entry i of a parameter's first dimensions, over the same memory: part(p, 2, 1) of
// (L, 4, D, D) is (D, D).
func part(p *tensor.Param, i ...int) *tensor.Param {
	value, grad := p.Value, p.Grad
	for _, at := range i {
		rest := value.Shape[1:]
		value, grad = value.Slice(at, at+1).Reshape(rest...), grad.Slice(at, at+1).Reshape(rest...)
	}
	return &tensor.Param{Name: p.Name, Value: value, Grad: grad}
}

func attend(in subject.Args) kept[*Attend] {
	return subject.Kept(in, func() kept[*Attend] {
		p := packed(in, weights)
		return kept[*Attend]{NewAttend(p[0], p[1], p[2], p[3], in.Int("num_heads")), p}
	}, paramsOf, weights)
}

func attendForward(in subject.Args) (wire.Values, error) {
	a := attend(in)
	var y *tensor.Tensor
	in.Twice(func() { y = in.Watch("y", attended(in, a.layer)) })
	return wire.Values{"y": wire.Tensor(y)}, nil
}

func attendBackward(in subject.Args) (wire.Values, error) {
	a := attend(in)
	var dx, dMemory *tensor.Tensor
	in.Twice(func() {
		if in.Has("x") { // Backward without a Forward before it is refused
			in.Watch("y", attended(in, a.layer))
		}
		dx, dMemory = a.layer.Backward(in.Tensor("dy"))
		in.Watch("dx", dx)
		in.Watch("dMemory", dMemory)
	}, a.params...)
	return gradients(wire.Values{"dx": wire.Tensor(dx), "dmemory": wire.Tensor(dMemory)}, a.params, weights), nil
}

// attended is a forward pass, in which the memory is x itself where it holds the same
// numbers, as in self-attention.
func attended(in subject.Args, a *Attend) *tensor.Tensor {
	x, memory := in.Tensor("x"), in.Tensor("memory")
	if x.SameShape(memory) && slices.Equal(x.Data, memory.Data) {
		memory = x
	}
	return a.Forward(x, memory, mask(in))
}

// mask hides what is not real, and is none where everything is, in two of three sizes.
func mask(in subject.Args) *attention.Mask {
	n, rows := in.Tensor("x").Dim(1), real(in)
	if n%3 != 0 && !slices.ContainsFunc(rows, func(row []bool) bool { return slices.Contains(row, false) }) {
		return nil
	}
	return PaddingMask(rows, n)
}

// real returns the argument "real", row by row.
func real(in subject.Args) [][]bool {
	flat, shape := in.Bools("real")
	rows := make([][]bool, shape[0])
	for b := range rows {
		rows[b] = flat[b*shape[1] : (b+1)*shape[1]]
	}
	return rows
}

// withOthers makes a call with other entries in the rows that the next one is given, as the
// caller may use them again: the last of each row comes first.
func withOthers(in subject.Args, rows [][]bool, call func()) {
	if in.Has("instance") || in.Has("at_once") {
		return
	}
	own := slices.Clone(rows)
	for b, row := range rows {
		own[b] = slices.Clone(row)
		if n := len(row); n > 0 {
			copy(row[1:], own[b])
			row[0] = own[b][n-1]
		}
	}
	defer func() {
		for b, row := range rows {
			copy(row, own[b])
		}
	}()
	call()
}

// gradients adds those of parameters to out.
func gradients(out wire.Values, params []*tensor.Param, names []string) wire.Values {
	for i, name := range names {
		out["d"+name] = wire.Tensor(params[i].Grad)
	}
	return out
}

func encoder(in subject.Args) kept[*Encoder] {
	return subject.Kept(in, func() kept[*Encoder] {
		p := packed(in, stack)
		return kept[*Encoder]{encoderOf(p, in.Int("num_heads")), p}
	}, paramsOf, stack)
}

// encoderOf makes a stack of arrays in the order attn, norms, w1, b1, w2, b2.
func encoderOf(p []*tensor.Param, heads int) *Encoder {
	e := new(Encoder)
	for l := range p[0].Value.Dim(0) {
		e.Layers = append(e.Layers, &EncoderLayer{Self: attendOf(p[0], l, 0, heads),
			Norm1: normOf(p[1], l, 0), FFN: networkOf(p, l), Norm2: normOf(p[1], l, 1)})
	}
	return e
}

func attendOf(attn *tensor.Param, l, first, heads int) *Attend {
	at := func(i int) *tensor.Param { return part(attn, l, first+i) }
	return NewAttend(at(0), at(1), at(2), at(3), heads)
}

func normOf(norms *tensor.Param, l, i int) *classic.LayerNorm {
	return classic.NewLayerNorm(part(norms, l, 2*i), part(norms, l, 2*i+1))
}

func networkOf(p []*tensor.Param, l int) *classic.FeedForward {
	relu := classic.Activation{Forward: classic.ReLU, Backward: classic.ReLUBackward}
	return classic.NewFeedForward(part(p[2], l), part(p[3], l), part(p[4], l), part(p[5], l), relu)
}

func encoderForward(in subject.Args) (wire.Values, error) {
	e, rows := encoder(in), real(in)
	forward := func() *tensor.Tensor { return e.layer.Forward(in.Tensor("x"), rows) }
	withOthers(in, rows, func() { forward() })
	var y *tensor.Tensor
	in.Twice(func() { y = in.Watch("y", forward()) })
	return wire.Values{"y": wire.Tensor(y)}, nil
}

func encoderBackward(in subject.Args) (wire.Values, error) {
	e := encoder(in)
	var dx *tensor.Tensor
	in.Twice(func() {
		if in.Has("x") {
			in.Watch("y", e.layer.Forward(in.Tensor("x"), real(in)))
		}
		dx = in.Watch("dx", e.layer.Backward(in.Tensor("dy")))
	}, e.params...)
	return gradients(wire.Values{"dx": wire.Tensor(dx)}, e.params, stack), nil
}

func decoder(in subject.Args) kept[*Decoder] {
	return subject.Kept(in, func() kept[*Decoder] {
		p := packed(in, stack)
		return kept[*Decoder]{decoderOf(p, in.Int("num_heads")), p}
	}, paramsOf, stack)
}

func decoderOf(p []*tensor.Param, heads int) *Decoder {
	d := new(Decoder)
	for l := range p[0].Value.Dim(0) {
		d.Layers = append(d.Layers, &DecoderLayer{
			Self: attendOf(p[0], l, 0, heads), Norm1: normOf(p[1], l, 0),
			Cross: attendOf(p[0], l, 4, heads), Norm2: normOf(p[1], l, 1),
			FFN: networkOf(p, l), Norm3: normOf(p[1], l, 2)})
	}
	return d
}

func decoderForward(in subject.Args) (wire.Values, error) {
	d, rows := decoder(in), real(in)
	forward := func() *tensor.Tensor { return d.layer.Forward(in.Tensor("x"), in.Tensor("memory"), rows) }
	withOthers(in, rows, func() { forward() })
	var y *tensor.Tensor
	in.Twice(func() { y = in.Watch("y", forward()) })
	return wire.Values{"y": wire.Tensor(y)}, nil
}

func decoderBackward(in subject.Args) (wire.Values, error) {
	d := decoder(in)
	var dx, dMemory *tensor.Tensor
	in.Twice(func() {
		if in.Has("x") {
			in.Watch("y", d.layer.Forward(in.Tensor("x"), in.Tensor("memory"), real(in)))
		}
		dx, dMemory = d.layer.Backward(in.Tensor("dy"))
		in.Watch("dx", dx)
		in.Watch("dMemory", dMemory)
	}, d.params...)
	return gradients(wire.Values{"dx": wire.Tensor(dx), "dmemory": wire.Tensor(dMemory)}, d.params, stack), nil
}

func prefixed(prefix string) []string {
	names := slices.Clone(stack)
	for i := range names {
		names[i] = prefix + names[i]
	}
	return names
}

// modelNames are the parameters of a model, in their order.
func modelNames() []string { return slices.Concat(tables, prefixed("src_"), prefixed("tgt_")) }

func transformer(in subject.Args) kept[*Transformer] {
	return subject.Kept(in, func() kept[*Transformer] {
		p, heads := packed(in, modelNames()), in.Int("num_heads")
		e, d := encoderOf(p[3:9], heads), decoderOf(p[9:], heads)
		return kept[*Transformer]{NewTransformer(p[0], p[1], e, d, p[2]), p}
	}, paramsOf, modelNames())
}

func transformerForward(in subject.Args) (wire.Values, error) {
	m, source, target := transformer(in), in.Rows("source"), in.Rows("target")
	var logits *tensor.Tensor
	var err error
	in.Twice(func() { logits, err = through(in, m.layer, source, target) })
	if err != nil {
		return nil, subject.Typed(err)
	}
	return wire.Values{"logits": wire.Tensor(logits)}, nil
}

// through is a forward pass, whose ids are others afterwards, as the caller may change them.
func through(in subject.Args, m *Transformer, source, target [][]int) (*tensor.Tensor, error) {
	logits, err := m.Forward(source, target)
	if err != nil {
		return nil, err
	}
	in.Overwrite(source)
	in.Overwrite(target)
	return in.Watch("logits", logits), nil
}

func transformerBackward(in subject.Args) (wire.Values, error) {
	m := transformer(in)
	var source, target [][]int
	if in.Has("source") { // Backward without a Forward before it is refused
		source, target = in.Rows("source"), in.Rows("target")
	}
	var err error
	in.Twice(func() {
		if in.Has("source") {
			if _, err = through(in, m.layer, source, target); err != nil {
				return
			}
		}
		if in.Has("measured") { // which makes several calls: their gradients would add up
			for _, p := range m.params {
				p.Grad.Zero()
			}
		}
		m.layer.Backward(in.Tensor("dlogits"))
	}, m.params...)
	if err != nil {
		return nil, subject.Typed(err)
	}
	return gradients(wire.Values{}, m.params, modelNames()), nil
}

func smoothing(in subject.Args) *Smoothing {
	c := subject.Kept(in, func() *Smoothing { return new(Smoothing) }, subject.NoParams, nil)
	if in.Has("eps") {
		c.Epsilon = in.Float("eps")
	}
	return c
}

func smoothingForward(in subject.Args) (wire.Values, error) {
	c, labels := smoothing(in), in.Rows("labels")
	var loss float64
	var err error
	in.Twice(func() { loss, err = c.Forward(in.Tensor("logits"), labels) })
	if err != nil {
		return nil, subject.Typed(err)
	}
	return wire.Values{"loss": wire.Float(loss)}, nil
}

func smoothingBackward(in subject.Args) (wire.Values, error) {
	c := smoothing(in)
	var labels [][]int
	if in.Has("logits") {
		labels = in.Rows("labels")
	}
	var dlogits *tensor.Tensor
	var err error
	in.Twice(func() {
		if in.Has("logits") {
			if _, err = c.Forward(in.Tensor("logits"), labels); err != nil {
				return
			}
			in.Overwrite(labels)
		}
		c.Epsilon = 0.5 - c.Epsilon // Forward has read it
		dlogits = in.Watch("dlogits", c.Backward())
		c.Epsilon = 0.5 - c.Epsilon
	})
	if err != nil {
		return nil, subject.Typed(err)
	}
	return wire.Values{"dlogits": wire.Tensor(dlogits)}, nil
}

func rate(in subject.Args) (wire.Values, error) {
	var rates []float32
	for _, step := range in.Ints("steps") {
		rates = append(rates, float32(Rate(step, in.Int("d_model"), in.Int("warmup"))))
	}
	return wire.Values{"rates": wire.Float32s(rates, len(rates))}, nil
}

func teach(in subject.Args) (wire.Values, error) {
	tokens := in.Ints("tokens")
	before := slices.Clone(tokens)
	var targets [][]int
	rest := tokens
	for _, n := range in.Ints("lengths") {
		targets = append(targets, rest[:n]) // the next target lies behind it in memory
		rest = rest[n:]
	}
	inputs, labels := Teach(targets)
	out := wire.Values{"inputs": ints(inputs), "labels": ints(labels)}
	if !apart(inputs, labels) {
		return nil, subject.Broken("rows that Teach has returned share memory: who changes one changes another")
	}
	if !slices.Equal(tokens, before) {
		return nil, subject.Broken("Teach has changed a target, or what it returned is the target itself")
	}
	return out, nil
}

// apart changes what a call returned, which belongs to the caller, and reports whether no
// number of it is another one, too.
func apart(returned ...[][]int) bool {
	all, n := slices.Concat(returned...), 0
	for _, row := range all {
		for i := range row {
			n--
			row[i] = n
		}
	}
	n = 0
	for _, row := range all {
		for i := range row {
			if n--; row[i] != n {
				return false
			}
		}
	}
	return true
}

// ints is a rectangle of integers.
func ints(rows [][]int) wire.Value {
	width := 0
	if len(rows) > 0 {
		width = len(rows[0])
	}
	v := wire.Ints(nil, len(rows), width)
	for _, row := range rows {
		for _, n := range row {
			v.I64 = append(v.I64, int64(n))
		}
	}
	return v
}

func corrupt(in subject.Args) (wire.Values, error) {
	ids, source := in.IDs("tokens"), &numbers{given: in.Ints("chances")}
	before := slices.Concat(ids...)
	inputs, labels := Corrupt(ids, in.Int("vocab"), in.Int("mask"), rand.New(source))
	out := wire.Values{"inputs": ints(inputs), "labels": ints(labels), "drawn": wire.Int(source.drawn)}
	if !apart(inputs, labels) {
		return nil, subject.Broken("rows that Corrupt has returned share memory: who changes one changes another")
	}
	if !slices.Equal(slices.Concat(ids...), before) {
		return nil, subject.Broken("Corrupt has changed the ids, or what it returned are the ids themselves")
	}
	return out, nil
}

// numbers is a generator of the given numbers of 53 bits, in their order, with other bits
// above them, which Float64 leaves out.
type numbers struct {
	given []int
	drawn int
}

func (n *numbers) Uint64() uint64 {
	n.drawn++
	if len(n.given) == 0 {
		return 0
	}
	i := (n.drawn - 1) % len(n.given)
	const above = 0x9e3779b97f4a7c15 // an odd number without a pattern
	return uint64(n.given[i]) | uint64(i+1)*above>>53<<53
}

// behind returns the logits behind a prefix: the sum of table[a, token] over its last
// tokens, in memory that the next call uses again. A prefix that does not begin with Begin,
// or is longer than there may be tokens, is answered with zeros.
func behind(in subject.Args) Next {
	table := in.Tensor("table")
	vocab := table.Dim(2)
	row := make([]float32, vocab)
	return func(prefix []int) []float32 {
		clear(row)
		if len(prefix) == 0 || prefix[0] != Begin || len(prefix) > in.Int("max_len") {
			return row
		}
		for a := range min(len(prefix), table.Dim(0)) {
			token := prefix[len(prefix)-1-a]
			for i, x := range table.Row(a*vocab + token) {
				row[i] += x
			}
		}
		return row
	}
}

func greedy(in subject.Args) (wire.Values, error) {
	return wire.Values{"tokens": list(Greedy(behind(in), in.Int("max_len")))}, nil
}

func beam(in subject.Args) (wire.Values, error) {
	tokens, score := Beam(behind(in), in.Int("width"), in.Int("max_len"), in.Float("alpha"))
	return wire.Values{"tokens": list(tokens), "score": wire.Float(score)}, nil
}

func list(tokens []int) wire.Value {
	v := wire.Ints(make([]int64, len(tokens)), len(tokens))
	for i, token := range tokens {
		v.I64[i] = int64(token)
	}
	return v
}

func translate(in subject.Args) (wire.Values, error) {
	m := transformer(in)
	var tokens wire.Value
	var score float64
	var err error
	var before []int // what the call before has returned, which belongs to the caller
	source, changed := in.Ints("source"), false
	in.Twice(func() {
		var found []int
		found, score, err = m.layer.Translate(source, in.Int("width"), in.Int("max_len"), in.Float("alpha"))
		changed = changed || slices.ContainsFunc(before, func(token int) bool { return token >= 0 })
		tokens, before = list(found), found
		apart([][]int{found})
	})
	switch {
	case err != nil:
		return nil, subject.Typed(err)
	case changed:
		return nil, subject.Broken("a call of Translate has changed the tokens that the call before it has returned")
	}
	return wire.Values{"tokens": tokens, "score": wire.Float(score)}, nil
}

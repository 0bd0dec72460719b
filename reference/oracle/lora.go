package oracle

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	answer("lora.forward", func(c *call) (wire.Values, error) {
		return wire.Values{"y": result(c.edited(nil, c.lowRank())[0])}, nil
	})
	answer("lora.backward", loraBackward)
	answer("lora.delta", func(c *call) (wire.Values, error) {
		d := c.edited(nil, Delta(c.tensor("a"), c.tensor("b"), c.float("alpha")).Named("delta"))
		return wire.Values{"delta": result(d[0])}, nil
	})
	answer("lora.merged", loraMerged)
	answer("lora.optimizer", loraOptimizer)
	answer("lora.saved", loraSaved)
	answer("example.one", exampleOne)
	answer("example.batch", exampleBatch)
	answer("example.pack", examplePack)
	answer("answer_loss.forward", func(c *call) (wire.Values, error) {
		return wire.Values{"loss": result(c.answerLoss())}, nil
	})
	answer("answer_loss.backward", func(c *call) (wire.Values, error) {
		c.answerLoss().Backward([]float64{1})
		return wire.Values{"dlogits": c.gradient("logits", "")}, nil
	})
}

// LowRank returns y = x W₀ᵀ + α/r·(x Aᵀ) Bᵀ.
//
//	x (…, in), w (out, in), a (r, in), b (out, r), result (…, out)
//
// Source: Hu et al., "LoRA" (arXiv:2106.09685), equation 3.
func LowRank(x, w, a, b *autodiff.Tensor, alpha float64) *autodiff.Tensor {
	u := linearOf(x, a).Named("x·Aᵀ")
	s := alpha / float64(a.Shape[0])
	return autodiff.Add(linearOf(x, w), autodiff.Scale(linearOf(u, b), s).Labelled("α/r")).Named("y")
}

// Delta returns α/r·B A, what the adapter adds to the weight.
//
//	a (r, in), b (out, r), result (out, in)
func Delta(a, b *autodiff.Tensor, alpha float64) *autodiff.Tensor {
	return autodiff.Scale(autodiff.MatMul(b, a), alpha/float64(a.Shape[0])).Labelled("α/r")
}

// lowRank is the output of the layer that a call describes.
func (c *call) lowRank() *autodiff.Tensor {
	return LowRank(c.tensor("x"), c.tensor("w"), c.tensor("a"), c.tensor("b"), c.float("alpha"))
}

// loraBackward gives back the gradient of W₀ as it was.
func loraBackward(c *call) (wire.Values, error) {
	c.edited(nil, c.lowRank())[0].Backward(widen(c.in["dy"]))
	before := c.in["dw_before"]
	return wire.Values{"dx": c.gradient("x", ""), "frozen": wire.Floats(widen(before), before.Shape...),
		"da": c.gradient("a", "da_before"), "db": c.gradient("b", "db_before")}, nil
}

func loraMerged(c *call) (wire.Values, error) {
	weight := c.tensor("w")
	if turns := c.in["turns"].I64; len(turns) > 0 && turns[len(turns)-1] == 1 {
		weight = autodiff.Add(weight, Delta(c.tensor("a"), c.tensor("b"), c.float("alpha"))).Named("weight")
	}
	y := c.lowRank()
	return wire.Values{"weight": result(weight), "y": result(y)}, nil
}

// loraOptimizer has the adapters of all layers and nothing else.
func loraOptimizer(c *call) (wire.Values, error) {
	layers := c.sizes["L"]
	params, moved := make([]int64, 2*layers), make([]int64, 2*layers)
	for i := range params {
		params[i], moved[i] = int64(i), 1
	}
	return wire.Values{"weight": wire.Floats(widen(c.in["w"]), c.in["w"].Shape...),
		"params": wire.Ints(params, 2*layers),
		"moved":  wire.Ints(moved, 2*layers), "set": wire.Floats(slices.Clone(c.in["settings"].F64), 4)}, nil
}

// loraSaved is the output of every layer with the adapter that was saved for it.
func loraSaved(c *call) (wire.Values, error) {
	layers, rank := c.sizes["L"], c.sizes["R"]
	y := wire.Floats(nil, layers, c.sizes["N"], c.sizes["O"])
	part := func(name string, l, rows, cols int) *autodiff.Tensor {
		return autodiff.Reshape(autodiff.Slice(c.tensor(name), 0, l, l+1), rows, cols)
	}
	for l := range layers {
		own := LowRank(c.tensor("x"), part("w", l, c.sizes["O"], c.sizes["I"]), part("a", l, rank, c.sizes["I"]),
			part("b", l, c.sizes["O"], rank), c.in["alphas"].F64[l])
		y.F64 = append(y.F64, own.Data...)
	}
	return wire.Values{"y": y, "tensors": wire.Int(3 * layers),
		"numbers": wire.Int(c.in["a"].Len() + c.in["b"].Len() + layers)}, nil
}

// example is a text to learn from.
type example struct {
	ids, targets []int
	counted      []bool
}

// exampleOf is a question with its answer and its end. What counts is the answer and its
// end, where it is the target.
func exampleOf(question, answer []int, end int) example {
	var e example
	text := append(append(slices.Clone(question), answer...), end)
	for t := range len(text) - 1 {
		e.ids, e.targets = append(e.ids, text[t]), append(e.targets, text[t+1])
		e.counted = append(e.counted, t+1 >= len(question))
	}
	return e
}

// filled adds positions of padding up to a length.
func (e example) filled(length, pad int) example {
	for len(e.ids) < length {
		e.ids, e.targets, e.counted = append(e.ids, pad), append(e.targets, pad), append(e.counted, false)
	}
	return e
}

// examples returns those of a call.
func (c *call) examples() ([]example, error) {
	var all []example
	questions, answers := c.indices("questions").Data, c.indices("answers").Data
	lengths := c.indices("answer_lengths").Data
	for b, n := range c.indices("question_lengths").Data {
		switch {
		case n < 1 || n > len(questions):
			return nil, c.refuse("question_lengths", "at least 1 each, and together as many as questions has")
		case lengths[b] > len(answers):
			return nil, c.refuse("answer_lengths", "together as many as answers has")
		}
		all = append(all, exampleOf(questions[:n], answers[:lengths[b]], c.int("end")))
		questions, answers = questions[n:], answers[lengths[b]:]
	}
	if len(questions)+len(answers) > 0 {
		return nil, c.refuse("questions", "lengths that add up to all of them")
	}
	return all, nil
}

func exampleOne(c *call) (wire.Values, error) {
	if c.sizes["P"] == 0 {
		return nil, c.refuse("question", "at least one token")
	}
	e := exampleOf(c.indices("question").Data, c.indices("answer").Data, c.int("end"))
	return wire.Values{"ids": integers(e.ids), "targets": integers(e.targets),
		"counted": wire.Bools(e.counted, len(e.counted))}, nil
}

func exampleBatch(c *call) (wire.Values, error) {
	all, err := c.examples()
	if err != nil {
		return nil, err
	}
	longest := 0
	for _, e := range all {
		longest = max(longest, len(e.ids))
	}
	var flat example
	for _, e := range all {
		e = e.filled(longest, c.int("pad"))
		flat = example{append(flat.ids, e.ids...), append(flat.targets, e.targets...),
			append(flat.counted, e.counted...)}
	}
	shape := []int{len(all), longest}
	ids, targets := integers(flat.ids), integers(flat.targets)
	ids.Shape, targets.Shape = shape, shape
	return wire.Values{"ids": ids, "targets": targets, "counted": wire.Bools(flat.counted, shape...)}, nil
}

func examplePack(c *call) (wire.Values, error) {
	all, err := c.examples()
	if err != nil {
		return nil, err
	}
	length := c.int("length")
	var flat example
	var number []int // of the example that a position belongs to; each of the padding has its own
	for n, e := range all {
		number = append(number, slices.Repeat([]int{n}, len(e.ids))...)
		flat = example{append(flat.ids, e.ids...), append(flat.targets, e.targets...),
			append(flat.counted, e.counted...)}
	}
	if len(flat.ids) > length {
		return nil, c.refuse("length", fmt.Sprintf("at least %d", len(flat.ids)))
	}
	flat = flat.filled(length, c.int("pad"))
	for n := len(all); len(number) < length; n++ {
		number = append(number, n)
	}
	attend := make([]bool, length*length)
	for at := range attend {
		i, j := at/length, at%length
		attend[at] = j <= i && number[i] == number[j]
	}
	return wire.Values{"ids": integers(flat.ids), "targets": integers(flat.targets),
		"counted": wire.Bools(flat.counted, length), "attend": wire.Bools(attend, length, length)}, nil
}

// answerLoss is the mean cross-entropy of the tokens that count, 0 without any.
func (c *call) answerLoss() *autodiff.Tensor {
	vocab := c.sizes["V"]
	var rows, targets []int
	for at, counts := range c.in["counted"].Bool {
		if counts {
			rows, targets = append(rows, at), append(targets, c.indices("targets").Data[at])
		}
	}
	if len(rows) == 0 {
		return autodiff.Zeros()
	}
	logits := c.tensor("logits")
	flat := autodiff.Rows(autodiff.Reshape(logits, len(logits.Data)/vocab, vocab), rows)
	loss := CrossEntropy(flat, Indices{Shape: []int{len(targets)}, Data: targets}).Named("loss")
	return c.edited(nil, loss)[0]
}

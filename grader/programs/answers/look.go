package answers

import (
	"cmp"
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// looker writes down what the model thinks before one token.
type looker struct {
	*Answerer
	row    int // of the activations from which the token is foretold
	actual int // the token; −1 behind the end of the text
	place  *inside.Place
}

// look says what the model thinks before token q.At.
func (a *Answerer) look(r *reading, q inside.Question) (*inside.Place, error) {
	parts, err := a.contributions(r)
	if err != nil {
		return nil, err
	}
	l := looker{Answerer: a, row: q.At - 1, actual: -1, place: &inside.Place{}}
	if q.At < len(q.IDs) {
		l.actual = q.IDs[q.At]
	}
	l.expect(r.logits.Row(l.row), q)
	l.say(inside.Embedding, r.stream[0])
	l.measure(inside.Embedding, r.stream[0])
	for layer := range a.model.Config.NumLayers {
		l.say(inside.Attn(layer+1), plus(r.stream[layer], parts.attention[layer]))
		l.say(inside.FFN(layer+1), r.stream[layer+1])
		for h, head := range parts.heads {
			l.measure(inside.Head(layer+1, h+1), head[layer])
		}
		l.measure(inside.Attn(layer+1), parts.attention[layer])
		l.measure(inside.FFN(layer+1), parts.ffn[layer])
	}
	return l.place, nil
}

// expect says what may come, by the student's own distribution.
func (l looker) expect(logits []float32, q inside.Question) {
	p, drawn := l.place, lm.Distribution(logits, q.Temperature, q.TopP)
	p.Expected, p.Rest = likeliest(drawn, inside.Guesses), 1
	raw := lm.Distribution(logits, 1, 1)
	for i, g := range p.Expected {
		p.Rest, p.Expected[i].Raw = max(0, p.Rest-g.P), float64(raw[g.ID])
	}
	for _, x := range drawn {
		if x > 0 {
			p.Nucleus++
		}
	}
	if p.Nucleus <= len(p.Expected) {
		p.Rest = 0
	}
	if l.actual >= 0 {
		p.Actual = &inside.Actual{ID: l.actual, Surprise: Surprise(logits, l.actual), Rank: rank(logits, l.actual),
			Drawn: float64(drawn[l.actual])}
	}
}

// say says what the model would say if it ended behind a part.
func (l looker) say(part string, x *tensor.Tensor) {
	logits := l.head(tensor.From(x.Row(l.row), 1, 1, l.model.Config.DModel)).Row(0)
	s := inside.Stage{Part: part, Top: likeliest(lm.Distribution(logits, 1, 1), 3)}
	if l.actual >= 0 {
		s.Surprise = Surprise(logits, l.actual)
	}
	l.place.Stages = append(l.place.Stages, s)
}

// measure says how much a part adds.
func (l looker) measure(part string, x *tensor.Tensor) {
	sum := 0.0
	for _, v := range x.Row(l.row) {
		sum += float64(v) * float64(v)
	}
	l.place.Sizes = append(l.place.Sizes, inside.Size{Part: part, Norm: math.Sqrt(sum)})
}

// likeliest returns the n likeliest tokens, without those that cannot come.
func likeliest(probs []float32, n int) []inside.Guess {
	var all []inside.Guess
	for id, p := range probs {
		if p > 0 {
			all = append(all, inside.Guess{ID: id, P: float64(p)})
		}
	}
	slices.SortStableFunc(all, func(a, b inside.Guess) int { return cmp.Compare(b.P, a.P) })
	return all[:min(n, len(all))]
}

// rank is 1 more than the number of tokens that are likelier.
func rank(logits []float32, token int) int {
	n := 1
	for _, x := range logits {
		if x > logits[token] {
			n++
		}
	}
	return n
}

// distance is the largest difference between two tensors, as a share of the largest
// value.
func distance(a, b *tensor.Tensor) float64 {
	apart, largest := 0.0, 0.0
	for i, x := range a.Data {
		apart = max(apart, math.Abs(float64(x-b.Data[i])))
		largest = max(largest, math.Abs(float64(b.Data[i])))
	}
	if apart == 0 {
		return 0
	}
	return apart / largest
}

// plus and minus are sums and differences of tensors.
func plus(a, b *tensor.Tensor) *tensor.Tensor  { return combine(a, b, 1) }
func minus(a, b *tensor.Tensor) *tensor.Tensor { return combine(a, b, -1) }

func combine(a, b *tensor.Tensor, sign float32) *tensor.Tensor {
	y := clone(a)
	for i, x := range b.Data {
		y.Data[i] += sign * x
	}
	return y
}

func clone(t *tensor.Tensor) *tensor.Tensor { return tensor.From(slices.Clone(t.Data), t.Shape...) }

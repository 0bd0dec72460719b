package corpus

import (
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// node is a part of a probabilistic grammar. It can draw a text, and it can
// say what it is worth exactly: the entropy of its choices and the expected
// length of its text. The entropy of the choices is the entropy of the text as
// long as every text has one derivation only; a test parses stories and counts
// their derivations.
type node interface {
	draw(rng *rand.Rand, s scope, out *strings.Builder)
	measure(s scope) worth
	// parse calls next once for every derivation of a beginning of text, with
	// the text that is left.
	parse(text string, s scope, next func(rest string))
}

// worth is an entropy in nats and an expected length in characters.
type worth struct{ nats, chars float64 }

func (w worth) plus(v worth) worth    { return worth{w.nats + v.nats, w.chars + v.chars} }
func (w worth) times(p float64) worth { return worth{p * w.nats, p * w.chars} }

// surprise is the information of a choice that had probability p.
func surprise(p float64) worth { return worth{nats: -math.Log(p)} }

// scope is what a story has settled on: who it is about, where it happens.
type scope map[string]string

func (s scope) with(fields map[string]string) scope {
	inner := maps.Clone(s)
	if inner == nil {
		inner = scope{}
	}
	maps.Copy(inner, fields)
	return inner
}

// text is fixed but for {names} of the scope, which it fills in.
type text string

func (t text) fill(s scope) string {
	out, from := "", string(t)
	for {
		before, rest, found := strings.Cut(from, "{")
		name, rest, closed := strings.Cut(rest, "}")
		value, known := s[name]
		if !found || !closed || !known {
			return out + from
		}
		out, from = out+before+value, rest
	}
}

func (t text) draw(_ *rand.Rand, s scope, out *strings.Builder) { out.WriteString(t.fill(s)) }

func (t text) measure(s scope) worth {
	return worth{chars: float64(utf8.RuneCountInString(t.fill(s)))}
}

func (t text) parse(in string, s scope, next func(string)) {
	if rest, ok := strings.CutPrefix(in, t.fill(s)); ok {
		next(rest)
	}
}

// sequence is one node after another.
type sequence []node

func (q sequence) draw(rng *rand.Rand, s scope, out *strings.Builder) {
	for _, n := range q {
		n.draw(rng, s, out)
	}
}

func (q sequence) measure(s scope) worth {
	var sum worth
	for _, n := range q {
		sum = sum.plus(n.measure(s))
	}
	return sum
}

func (q sequence) parse(in string, s scope, next func(string)) {
	if len(q) == 0 {
		next(in)
		return
	}
	q[0].parse(in, s, func(rest string) { q[1:].parse(rest, s, next) })
}

// choice is one of several nodes. Earlier ones are likelier: node i has weight
// 1/(i+2), a gentle form of the law by which words occur in a language (Zipf).
type choice []node

func (c choice) probability(i int) float64 {
	total := 0.0
	for j := range c {
		total += 1 / float64(j+2)
	}
	return 1 / float64(i+2) / total
}

// pick draws the index of a node.
func (c choice) pick(rng *rand.Rand) int {
	u := rng.Float64()
	for i := range c {
		if u -= c.probability(i); u < 0 {
			return i
		}
	}
	return len(c) - 1
}

func (c choice) draw(rng *rand.Rand, s scope, out *strings.Builder) {
	c[c.pick(rng)].draw(rng, s, out)
}

func (c choice) measure(s scope) worth {
	var sum worth
	for i, n := range c {
		p := c.probability(i)
		sum = sum.plus(n.measure(s).plus(surprise(p)).times(p))
	}
	return sum
}

func (c choice) parse(in string, s scope, next func(string)) {
	for _, n := range c {
		n.parse(in, s, next)
	}
}

// repeat is body zero times or more: after each time it goes on with
// probability again.
type repeat struct {
	again float64
	body  node
}

func (r repeat) draw(rng *rand.Rand, s scope, out *strings.Builder) {
	for rng.Float64() < r.again {
		r.body.draw(rng, s, out)
	}
}

// measure: the number of rounds is geometric with mean p/(1−p); each costs the
// choice to go on and the body, and the end costs the choice to stop.
func (r repeat) measure(s scope) worth {
	rounds := r.again / (1 - r.again)
	return r.body.measure(s).plus(surprise(r.again)).times(rounds).plus(surprise(1 - r.again))
}

func (r repeat) parse(in string, s scope, next func(string)) {
	next(in)
	r.body.parse(in, s, func(rest string) {
		if len(rest) < len(in) {
			r.parse(rest, s, next)
		}
	})
}

// settle chooses one set of names, with the weights of a choice, and keeps it
// for the whole body: this is what gives a story its long-range structure.
// Which one was chosen shows in the body's text, or it would not count.
type settle struct {
	names []map[string]string
	body  node
}

func (n settle) weights() choice { return make(choice, len(n.names)) }

func (n settle) draw(rng *rand.Rand, s scope, out *strings.Builder) {
	n.body.draw(rng, s.with(n.names[n.weights().pick(rng)]), out)
}

func (n settle) measure(s scope) worth {
	var sum worth
	for i, names := range n.names {
		p := n.weights().probability(i)
		sum = sum.plus(n.body.measure(s.with(names)).plus(surprise(p)).times(p))
	}
	return sum
}

func (n settle) parse(in string, s scope, next func(string)) {
	for _, names := range n.names {
		n.body.parse(in, s.with(names), next)
	}
}

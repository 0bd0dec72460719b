package paged

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// What an op of a script does, see functions.txt.
const (
	appends = iota
	forks
	cuts
	attends
)

// pool are the sizes of a pool.
type pool struct{ layers, heads, width, pages, size int }

// op is one thing that is done to a text.
type op struct{ kind, text, n int }

// script draws the numbers for a list of ops.
func (p pool) script(rng *rand.Rand, ops ...op) wire.Values {
	table, tokens := wire.Ints(nil, len(ops), 3), 0
	for _, o := range ops {
		table.I64 = append(table.I64, int64(o.kind), int64(o.text), int64(o.n))
		if o.kind == appends || o.kind == attends {
			tokens += max(0, o.n)
		}
	}
	in := wire.Values{"ops": table, "pages": wire.Int(p.pages), "size": wire.Int(p.size)}
	for _, name := range []string{"q", "k", "v"} {
		in[name] = course.Normal(rng, 1.2, p.layers, p.heads, tokens, p.width)
	}
	return in
}

// drawOps draws a pool, and ops that are possible however many appends are refused.
func drawOps(rng *rand.Rand, enough bool) wire.Values {
	p := pool{course.Between(rng, 1, 2), course.Between(rng, 1, 3), course.Between(rng, 2, 6), 60, course.Between(rng, 2, 5)}
	first := course.Between(rng, p.size+1, 3*p.size)
	if !enough {
		p.pages = (first+p.size-1)/p.size + course.Between(rng, 1, 3)
	}
	ops := []op{{appends, 0, first}, {forks, 0, 0}}
	sure := []int{first, first} // tokens that a text has at least
	for range course.Between(rng, 7, 12) {
		text := rng.IntN(len(sure))
		switch kind := rng.IntN(6); {
		case kind == 0 && len(sure) < 4:
			ops, sure = append(ops, op{forks, text, 0}), append(sure, sure[text])
		case kind == 1:
			sure[text] = rng.IntN(sure[text] + 1)
			ops = append(ops, op{cuts, text, sure[text]})
		case kind == 2 && sure[text] > 0:
			ops = append(ops, op{attends, text, course.Between(rng, 1, min(3, sure[text]))})
		default:
			n := course.Between(rng, 0, p.size+2)
			ops = append(ops, op{appends, text, n})
			if enough {
				sure[text] += n
			}
		}
	}
	for text, n := range sure {
		ops = append(ops, op{attends, text, min(n, 2)})
	}
	return p.script(rng, ops...)
}

func drawRoomy(rng *rand.Rand) wire.Values { return drawOps(rng, true) }
func drawTight(rng *rand.Rand) wire.Values { return drawOps(rng, false) }

// kinds are scripts that a drawing would seldom come upon.
func kinds() []course.Drawing {
	var all []course.Drawing
	for _, s := range []struct {
		pool
		ops []op
	}{
		// the last page is shared by three, each of which writes in turn
		{pool{2, 2, 3, 7, 4}, []op{{appends, 0, 6}, {forks, 0, 0}, {forks, 0, 0}, {appends, 1, 1}, {appends, 2, 1}, {appends, 0, 1}, {attends, 0, 2}, {attends, 1, 2}, {attends, 2, 2}}},
		// a fork of a fork outlives both
		{pool{1, 2, 4, 6, 3}, []op{{appends, 0, 7}, {forks, 0, 0}, {forks, 1, 0}, {cuts, 0, 0}, {cuts, 1, 0}, {appends, 0, 6}, {attends, 2, 3}, {appends, 2, 1}, {attends, 0, 2}}},
		// what is cut is written by another
		{pool{1, 1, 5, 4, 4}, []op{{appends, 0, 16}, {forks, 0, 0}, {cuts, 1, 5}, {cuts, 0, 3}, {appends, 0, 4}, {attends, 1, 3}, {appends, 1, 3}, {attends, 0, 4}, {attends, 1, 4}}},
		// all pages but one, which is the copy; then none
		{pool{1, 2, 3, 4, 4}, []op{{appends, 0, 10}, {forks, 0, 0}, {appends, 1, 2}, {appends, 0, 2}, {appends, 0, 1}, {appends, 1, 1}, {attends, 0, 2}, {attends, 1, 2}}},
		// an append that lacks one page of several
		{pool{1, 2, 3, 5, 3}, []op{{appends, 0, 5}, {forks, 0, 0}, {appends, 1, 9}, {appends, 1, 8}, {appends, 1, 7}, {appends, 0, 1}, {attends, 0, 1}, {attends, 1, 1}}},
		// nothing at all, and nothing of a shared page
		{pool{1, 2, 3, 3, 2}, []op{{appends, 0, 0}, {cuts, 0, 0}, {forks, 0, 0}, {appends, 1, 3}, {forks, 1, 0}, {appends, 2, 0}, {cuts, 2, 3}, {appends, 1, 1}, {attends, 2, 1}}},
		// a fork at the end of its third page, a number of pages behind which a slice has room
		{pool{1, 2, 3, 9, 2}, []op{{appends, 0, 2}, {appends, 0, 2}, {appends, 0, 2}, {forks, 0, 0}, {appends, 0, 1}, {appends, 1, 2}, {attends, 0, 2}, {attends, 1, 2}}},
	} {
		all = append(all, course.Drawing{Function: "pages.script", Draw: func(rng *rand.Rand) wire.Values { return s.script(rng, s.ops...) }})
	}
	return all
}

// inPieces lets every append of a script be several of one token each, after which all are
// written in one call and half of them in another: nothing of the answer is another then.
func inPieces(e *course.Exam) error {
	const f = "pages.script"
	for range course.FreshCases {
		drawn, want, err := e.Drawn(course.Drawing{Function: f, Draw: drawRoomy})
		if err != nil {
			return err
		}
		in := course.With(drawn, "pieces", wire.Int(1))
		got, err := e.Ask(f, in)
		if err == nil {
			err = e.Compare(f, in, got, want, nil, func(output string) float64 { return e.Tolerance(f, output) })
		}
		if err != nil {
			return course.Told(lang.T("tokens are appended one by one, and then the last n of them written in one call, for several n"), err)
		}
	}
	return nil
}

// wideHeads are wider than the arrays that people set aside for one; manyTexts, longText
// and largePages are past other numbers that they count on.
func wideHeads(rng *rand.Rand) wire.Values {
	return pool{1, 2, 134, 9, 3}.script(rng, op{appends, 0, 5}, op{forks, 0, 0}, op{appends, 1, 3}, op{attends, 0, 2})
}

func manyTexts(rng *rand.Rand) wire.Values {
	ops := []op{{appends, 0, 5}}
	for text := range 69 {
		ops = append(ops, op{forks, text, 0}, op{appends, text + 1, 1})
	}
	return pool{1, 1, 3, 80, 3}.script(rng, append(ops, op{attends, 0, 2}, op{attends, 40, 3})...)
}

// moreForks than a byte counts hold one page, of which a few more let go than it counts.
func moreForks(rng *rand.Rand) wire.Values {
	ops := append([]op{{appends, 0, 3}}, slices.Repeat([]op{{forks, 0, 0}}, 258)...)
	for text := range 4 {
		ops = append(ops, op{cuts, text + 1, 0})
	}
	return pool{1, 1, 2, 4, 4}.script(rng, append(ops, op{appends, 9, 1}, op{attends, 0, 2}, op{attends, 9, 2})...)
}

func longText(rng *rand.Rand) wire.Values {
	return pool{1, 1, 2, 1100, 1}.script(rng, op{appends, 0, 1030}, op{forks, 0, 0}, op{appends, 1, 3}, op{appends, 0, 40})
}

func largePages(rng *rand.Rand) wire.Values {
	return pool{1, 2, 3, 4, 131}.script(rng, op{appends, 0, 140}, op{forks, 0, 0}, op{appends, 0, 7}, op{attends, 1, 3})
}

// farBelow has scores of some hundred below zero, all of them.
func farBelow(rng *rand.Rand) wire.Values {
	in := pool{1, 2, 4, 9, 3}.script(rng, op{appends, 0, 5}, op{forks, 0, 0}, op{appends, 1, 3}, op{attends, 0, 2})
	for i := range in["q"].F32 {
		if i%4 == 0 {
			in["q"].F32[i], in["k"].F32[i] = 20, -20
		}
	}
	return in
}

func drawBytes(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 5, 1, 19)
	return wire.Values{"layers": wire.Int(n[0]), "heads": wire.Int(n[1]), "width": wire.Int(n[2]), "pages": wire.Int(n[3]), "size": wire.Int(n[4])}
}

// model are the sizes of a model.
type model struct {
	vocab, d, f, heads, layers, context int
	sharp                               float64 // how large queries, keys and logits are
}

func (m model) draw(rng *rand.Rand) wire.Values {
	weight := func(sharp float64, out, in int) wire.Value {
		return course.Normal(rng, sharp/math.Sqrt(float64(in)), out, in)
	}
	in := wire.Values{"num_heads": wire.Int(m.heads), "rope_theta": wire.Float(1000), "context_length": wire.Int(m.context),
		"token_embeddings.weight": course.Normal(rng, 1, m.vocab, m.d), "ln_final.weight": course.Gain(rng, m.d), "lm_head.weight": weight(m.sharp, m.vocab, m.d)}
	for l := range m.layers {
		layer := fmt.Sprintf("layers.%d.", l)
		in[layer+"ln1.weight"], in[layer+"ln2.weight"] = course.Gain(rng, m.d), course.Gain(rng, m.d)
		for _, p := range []string{"q", "k", "v", "output"} {
			sharp := 1.0
			if p == "q" || p == "k" {
				sharp = m.sharp
			}
			in[layer+"attn."+p+"_proj.weight"] = weight(sharp, m.d, m.d)
		}
		in[layer+"ffn.w1.weight"], in[layer+"ffn.w3.weight"], in[layer+"ffn.w2.weight"] = weight(1, m.f, m.d), weight(1, m.f, m.d), weight(1, m.d, m.f)
	}
	return in
}

// texts are what several texts of one model read.
type texts struct {
	model
	pages, size int
	prompt      int
	calls       [][]int
}

func (t texts) draw(rng *rand.Rand) wire.Values {
	in := t.model.draw(rng)
	rows := len(t.calls[0])
	calls, most := wire.Ints(nil, len(t.calls), rows), make([]int, rows)
	for _, call := range t.calls {
		for b, n := range call {
			calls.I64 = append(calls.I64, int64(n))
			most[b] += n
		}
	}
	in["prompt"] = course.IDs(rng, t.vocab, t.prompt)
	in["ids"], in["calls"] = course.IDs(rng, t.vocab, rows, slices.Max(most)), calls
	in["pages"], in["size"] = wire.Int(t.pages), wire.Int(t.size)
	return in
}

func small(rng *rand.Rand) model {
	return model{course.Between(rng, 7, 13), 12, course.Between(rng, 8, 17), course.Between(rng, 2, 3), course.Between(rng, 1, 3), 50, 1.6}
}

// drawTexts draws some texts behind a prompt, which read in a few calls.
func drawTexts(rng *rand.Rand) wire.Values {
	t := texts{model: small(rng), pages: 60, size: course.Between(rng, 2, 6), prompt: course.Between(rng, 1, 13)}
	rows := course.Between(rng, 2, 3)
	for range course.Between(rng, 2, 4) {
		call := make([]int, rows)
		for b := range call {
			call[b] = course.Between(rng, 0, 4)
		}
		call[rng.IntN(rows)]++
		t.calls = append(t.calls, call)
	}
	return turned(rng, t.draw(rng))
}

// turned is a model of another Θ: who has seen one of its sizes has not seen its angles.
func turned(rng *rand.Rand, in wire.Values) wire.Values {
	return course.With(in, "rope_theta", wire.Float(float64(course.Between(rng, 100, 5000))))
}

// drawAlone draws one text without a prompt.
func drawAlone(rng *rand.Rand) wire.Values {
	return turned(rng, texts{model: small(rng), pages: 6, size: 3, calls: [][]int{{4}, {1}, {0}, {6}, {1}}}.draw(rng))
}

// drawFitting draws two texts that share their last page and need all there are: one copy,
// and not two.
func drawFitting(rng *rand.Rand) wire.Values {
	return texts{model: small(rng), pages: 3, size: 4, prompt: 6, calls: [][]int{{1, 1}, {1, 1}}}.draw(rng)
}

// drawMany draws more texts than people set aside room for, and drawWide wide heads.
func drawMany(rng *rand.Rand) wire.Values {
	one := slices.Repeat([]int{1}, 67)
	return texts{model: model{13, 12, 9, 3, 1, 20, 1}, pages: 150, size: 3, prompt: 4, calls: [][]int{one, one}}.draw(rng)
}

func drawWide(rng *rand.Rand) wire.Values {
	return texts{model: model{11, 2 * 134, 9, 2, 1, 20, 1}, pages: 9, size: 3, prompt: 2, calls: [][]int{{3, 1}, {1, 2}}}.draw(rng)
}

// distributions draws rows that sum to 1.
func distributions(rng *rand.Rand, rows, vocab int) wire.Value {
	v := course.Normal(rng, 1.5, rows, vocab)
	for first := 0; first < len(v.F32); first += vocab {
		row, sum := v.F32[first:first+vocab], 0.0
		for _, x := range row {
			sum += math.Exp(float64(x))
		}
		for i, x := range row {
			row[i] = float32(math.Exp(float64(x)) / sum)
		}
	}
	return v
}

func drawResidual(rng *rand.Rand) wire.Values {
	n, vocab := course.Between(rng, 1, 5), course.Between(rng, 3, 11)
	return wire.Values{"p": distributions(rng, n, vocab), "q": distributions(rng, n, vocab)}
}

// residuals are drawings of what is left. p and q are exact numbers, so that their
// difference is: a case in which it is small is none that amplifies rounding.
func residuals() []course.Drawing {
	exact := func(string) float64 { return 1e-2 }
	var all []course.Drawing
	for range course.FreshCases {
		all = append(all, course.Drawing{Function: "spec.residual", Draw: drawResidual, Tolerance: exact})
	}
	for _, draw := range []func(*rand.Rand) wire.Values{oneEqual, nearlyEqual} {
		all = append(all, course.Drawing{Function: "spec.residual", Draw: draw, Tolerance: func(string) float64 { return math.Inf(1) }})
	}
	return all
}

// nearlyEqual has a q that differs from p by a few units in the last place.
func nearlyEqual(rng *rand.Rand) wire.Values {
	in := drawResidual(rng)
	in["q"] = wire.Float32s(slices.Clone(in["p"].F32), in["p"].Shape...)
	for i := range in["q"].F32 {
		for range rng.IntN(4) {
			in["q"].F32[i] = math.Nextafter32(in["q"].F32[i], float32(i%2))
		}
	}
	return in
}

// oneEqual has nothing left in its first row.
func oneEqual(rng *rand.Rand) wire.Values {
	in := drawResidual(rng)
	in["q"] = wire.Float32s(slices.Clone(in["q"].F32), in["q"].Shape...)
	copy(in["q"].F32, in["p"].F32[:in["p"].Shape[1]])
	return in
}

// drawVerify draws a p that is certain, and drafted tokens of which most are right.
func drawVerify(rng *rand.Rand) wire.Values {
	n, vocab := course.Between(rng, 1, 5), course.Between(rng, 3, 9)
	p := wire.Float32s(make([]float32, (n+1)*vocab), n+1, vocab)
	drafted := course.IDs(rng, vocab, n)
	for i := range n + 1 {
		certain := rng.IntN(vocab)
		p.F32[i*vocab+certain] = 1
		if i < n && rng.IntN(4) > 0 {
			drafted.I64[i] = int64(certain)
		}
	}
	return wire.Values{"p": p, "q": distributions(rng, n, vocab), "drafted": drafted, "seed": wire.Int(int(rng.Int32()))}
}

// speculation is a text that a draft writes ahead.
type speculation struct {
	model
	prompt, ahead, maxNew, layers, size int
}

func (s speculation) draw(rng *rand.Rand) wire.Values {
	in := s.model.draw(rng)
	in["prompt"] = course.IDs(rng, s.vocab, s.prompt)
	for name, n := range map[string]int{"ahead": s.ahead, "max_new": s.maxNew, "draft_layers": s.layers, "pages": 40, "size": s.size, "stop": -1} {
		in[name] = wire.Int(n)
	}
	return in
}

func drawGreedy(rng *rand.Rand) wire.Values {
	m := small(rng)
	in := speculation{m, course.Between(rng, 1, 5), course.Between(rng, 1, 4), course.Between(rng, 7, 11), course.Between(rng, 1, m.layers), course.Between(rng, 2, 6)}.draw(rng)
	if rng.IntN(3) == 0 {
		in["stop"] = wire.Int(rng.IntN(m.vocab))
	}
	return in
}

// greedies are texts without room to draft, and drafts that are the model itself.
func greedies() []course.Drawing {
	m := model{11, 12, 9, 3, 2, 20, 1.6}
	var all []course.Drawing
	for _, s := range []speculation{{m, 3, 1, 5, 2, 4}, {m, 3, 4, 9, 2, 3}, {m, 5, 20, 7, 1, 4}, {m, 1, 2, 2, 1, 5}, {m, 13, 3, 7, 1, 7}} {
		all = append(all, course.Drawing{Function: "spec.greedy", Draw: s.draw})
	}
	return all
}

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/stubformer/stubformer/grader/studio/bench"
	"github.com/stubformer/stubformer/reference/cputime"
)

// section is a part of the comparison that can be run alone.
type section struct {
	name, title string
	threads     int
	peers       func(programs, *crew, int) error
	tables      func(k programs, quick bool) []table
	also        func(k programs, r *Result) error // what no peer is asked for, or nil
}

var sections = []section{
	{"peak", "Peak and micro-kernel", 1, programs.products, alone(peakTable), nil},
	{"squares-1", "Square matrix products, one thread", 1, programs.products, alone(squares), nil},
	{"shapes-1", "Matrix products of training, one thread", 1, programs.products, alone(shapes), nil},
	{"squares-2", "Square matrix products, two threads", 2, programs.products, alone(squares), nil},
	{"shapes-2", "Matrix products of training, two threads", 2, programs.products, alone(shapes), nil},
	{"small-1", "Training and generation at d_model 128, one thread", 1, programs.models, alone(smallModel), nil},
	{"small-2", "Training and generation at d_model 128, two threads", 2, programs.models, alone(smallModel), nil},
	{"base-1", "Training and generation at d_model 512, one thread", 1, programs.models, alone(baseModel), nil},
	{"base-2", "Training and generation at d_model 512, two threads", 2, programs.models, alone(baseModel), nil},
	{"attention-1", "Attention, one thread", 1, programs.models, alone(attentions), nil},
	{"attention-2", "Attention, two threads", 2, programs.models, alone(attentions), nil},
	{"pages-1", "Texts through pages and through one cache, one thread", 1, programs.models, alone(pages), nil},
	{"vectors", "Vector functions, one thread", 1, programs.models, alone(vectors), nil},
	{"tokens", "Tokenizers, one thread", 1, programs.tokenizers, programs.tokens, nil},
	{"formats", "Generation in 8 bits and in 32, one thread", 1, programs.formats, alone(shrunk), programs.perplexities},
}

// alone is what asks the same wherever the peers' files are.
func alone(tables func(quick bool) []table) func(programs, bool) []table {
	return func(_ programs, quick bool) []table { return tables(quick) }
}

// table is what becomes a bench.Table.
type table struct {
	title, unit string
	rounds      int
	questions   []bench.Question
	converted   *conversion // another table of the same rates, or nil
}

// section measures one section.
func (k programs) section(s section, quick bool, r *Result) (err error) {
	c := crew{about: r.Peers}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := s.peers(k, &c, s.threads); err != nil {
		return err
	}
	r.Missing = c.missing
	for _, p := range c.peers {
		r.Environment[p.Name] = p.Env
	}
	for _, t := range s.tables(k, quick) {
		done, err := t.compare(c.peers)
		if err != nil {
			return err
		}
		r.Tables = append(r.Tables, done)
		if t.converted == nil {
			continue
		}
		if done, err = t.converted.of(done, c.peers); err != nil {
			return err
		}
		r.Tables = append(r.Tables, done)
	}
	if s.also == nil {
		return nil
	}
	return s.also(k, r)
}

// patience bounds the time that a question takes: where a round takes long, there are fewer of them.
const patience = time.Minute

// compare asks the table's questions, each once for practice and then in as many rounds as there is time for.
func (t table) compare(peers []*bench.Peer) (bench.Table, error) {
	all := bench.Table{Title: t.title, Unit: t.unit, Rounds: t.rounds}
	progress := func(what string) { fmt.Fprintln(os.Stderr, what) }
	for _, q := range t.questions {
		start := cputime.Wall()
		done, err := bench.Compare(t.title, t.unit, peers, []bench.Question{q}, 1, progress)
		if rounds := min(t.rounds, int(patience/(cputime.Wall()-start))); err == nil && rounds > 0 {
			done, err = bench.Compare(t.title, t.unit, peers, []bench.Question{q}, rounds, func(string) {})
		}
		if err != nil {
			return all, err
		}
		all.Peers, all.Rounds = done.Peers, min(all.Rounds, done.Rounds)
		all.Rows = append(all.Rows, done.Rows...)
		for _, m := range done.Missing {
			if !slices.Contains(all.Missing, m) {
				all.Missing = append(all.Missing, m)
			}
		}
	}
	return all, nil
}

// impl is the name of a peer's product in the questions.
func impl(peer string) string {
	switch peer {
	case "kit avx2":
		return "avx2"
	case "kit", "steps", "gonum":
		return peer
	}
	return "blas"
}

// slice is the time that a peer is measured in one round, in seconds.
func slice(quick bool) float64 {
	if quick {
		return 0.005
	}
	return 0.015
}

func rounds(quick bool) int {
	if quick {
		return 3
	}
	return 9
}

// product asks for op(A)·op(B) with op(A) (m, k) and op(B) (k, n), in GFLOP/s.
// gonum takes too long for the largest, and is left out there.
func product(name string, transA, transB bool, m, n, k int, accumulate, quick bool) bench.Question {
	bit := map[bool]int{true: 1}
	flops := 2 * float64(m) * float64(n) * float64(k)
	return bench.Question{Name: name, Work: flops / 1e9, Ask: func(peer string) string {
		if peer == "gonum" && flops > 3e8 {
			return ""
		}
		return fmt.Sprintf("gemm %s %d %d %d %d %d %d %g", impl(peer), bit[transA], bit[transB], m, n, k, bit[accumulate], slice(quick))
	}}
}

func squares(quick bool) []table {
	t := table{title: "C = A·B", unit: "GFLOP/s", rounds: rounds(quick)}
	for n := 64; n <= 2048; n *= 2 {
		if n <= 512 || !quick {
			t.questions = append(t.questions, product(fmt.Sprintf("%d × %d × %d", n, n, n), false, false, n, n, n, false, quick))
		}
	}
	return []table{t}
}

// shapes are the products of the layers of two models: forward y = x·Wᵀ,
// backward dx = dy·W and dW += dyᵀ·x.
func shapes(quick bool) []table {
	var tables []table
	for _, m := range []struct {
		name                 string
		tokens, d, ff, vocab int
	}{{"d_model 128, 768 tokens", 768, 128, 344, 65}, {"d_model 512, 2048 tokens", 2048, 512, 1344, 10_000}} {
		t := table{title: m.name, unit: "GFLOP/s", rounds: rounds(quick)}
		for _, layer := range []struct {
			name    string
			out, in int
		}{{"QKV", 3 * m.d, m.d}, {"output", m.d, m.d}, {"up", m.ff, m.d}, {"down", m.d, m.ff}, {"head", m.vocab, m.d}} {
			if quick && m.tokens*layer.out*layer.in > 1<<30 {
				continue
			}
			name := fmt.Sprintf("%s %d → %d", layer.name, layer.in, layer.out)
			t.questions = append(t.questions,
				product(name+", forward", false, true, m.tokens, layer.out, layer.in, false, quick),
				product(name+", dx", false, false, m.tokens, layer.in, layer.out, false, quick),
				product(name+", dW", true, false, layer.out, layer.in, m.tokens, true, quick))
		}
		tables = append(tables, t)
	}
	t := table{title: "one token", unit: "GFLOP/s", rounds: rounds(quick)}
	for _, layer := range [][2]int{{128, 384}, {128, 344}, {344, 128}, {512, 1536}, {512, 1344}, {1344, 512}, {512, 10_000}} {
		t.questions = append(t.questions, product(fmt.Sprintf("%d → %d", layer[0], layer[1]), false, true, 1, layer[1], layer[0], false, quick))
	}
	return append(tables, t)
}

// peakTable asks the kit alone: what the machine can do, and the micro-kernel.
func peakTable(bool) []table {
	t := table{title: "one core", unit: "GFLOP/s", rounds: 15}
	for _, verb := range []string{"peak", "tile"} {
		name := map[string]string{"peak": "fused multiply-adds on registers", "tile": "micro-kernel, operands in the first-level cache"}[verb]
		t.questions = append(t.questions, bench.Question{Name: name, Work: 1e-9, Ask: func(peer string) string {
			if peer != "kit" {
				return ""
			}
			return verb + " 0.05"
		}})
	}
	return []table{t}
}

func vectors(quick bool) []table {
	t := table{title: "element-wise functions and softmax", unit: "elements/ns", rounds: rounds(quick)}
	for _, name := range []string{"exp", "silu", "softmax"} {
		for _, shape := range [][2]int{{64, 64}, {1024, 1024}} {
			n := shape[0] * shape[1]
			t.questions = append(t.questions, bench.Question{Name: fmt.Sprintf("%s of %d × %d", name, shape[0], shape[1]), Work: float64(n) * 1e-9,
				Ask: func(string) string {
					return fmt.Sprintf("vector %s %d %d %g", name, shape[0], shape[1], slice(quick))
				}})
		}
	}
	return []table{t}
}

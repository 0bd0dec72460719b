package rules

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/reference/wire"
)

// clear is how far at least the answer of a rule lies from the right one, in units of
// what two answers of the same meaning may differ by.
const clear = 4

// maker makes the rules of a step.
type maker struct {
	set     *fixtures.Set
	written diagnose.Known
	store   diagnose.Rules
	all     []Rule                              // in step with those of the store
	right   map[string]map[string]diagnose.Mark // by function
	dropped map[string]bool                     // ids of rules that others speak for
}

// Store makes the rules of a step: its functions, what they answer to the fixtures.
// What a written mistake answers is left to it, and of rules that are one and the
// same formula the first is kept.
func Store(functions []string, set *fixtures.Set, written diagnose.Known) (diagnose.Rules, error) {
	m := &maker{set: set, written: written, right: map[string]map[string]diagnose.Mark{}, dropped: map[string]bool{}}
	m.store.Marks = map[string][]string{}
	index := map[string]int{}
	for _, f := range functions {
		cases := set.Cases(f)
		if len(cases) == 0 {
			continue
		}
		found, err := Of(f, cases[0].In)
		if err != nil {
			continue // the oracle has no formula of it
		}
		m.right[f] = map[string]diagnose.Mark{}
		for _, c := range cases {
			addMarks(m.right[f], c, c.Out)
		}
		m.store.Marks[f] = sortedNames(m.right[f])
		m.sizes(f)
		for _, r := range append(found, pairs(found)...) {
			if _, known := index[r.ID]; !known {
				index[r.ID] = len(m.all)
				m.all = append(m.all, r)
				m.store.Rules = append(m.store.Rules, diagnose.Rule{ID: r.ID, Sentence: r.Sentence})
			}
		}
	}
	for _, f := range functions {
		if m.right[f] == nil {
			continue
		}
		for i := range m.all {
			if err := m.answer(i, f); err != nil {
				return diagnose.Rules{}, err
			}
		}
		m.separate(f)
	}
	m.store.Rules = slices.DeleteFunc(m.store.Rules, func(r diagnose.Rule) bool { return m.dropped[r.ID] || len(r.Answers) == 0 })
	return m.store, nil
}

func addMarks(marks map[string]diagnose.Mark, c fixtures.Case, got wire.Values) {
	for name, want := range c.Out {
		marks[c.Function+"/"+c.Name+"/"+name] = diagnose.Mark{Got: diagnose.SketchOf(got[name]), Want: diagnose.SketchOf(want),
			Tolerance: c.Tolerance[name]}
	}
}

// answer notes what a rule answers to the fixtures of a function, if it fits all of
// them, changes something, and no written mistake does the same.
func (m *maker) answer(i int, f string) error {
	r := m.all[i]
	if m.dropped[r.ID] || r.derivative && !strings.HasSuffix(f, ".backward") {
		return nil
	}
	marks := map[string]diagnose.Mark{}
	loose := map[string]float64{}
	for _, c := range m.set.Cases(f) {
		out, err := r.Eval(f, c.In, nil)
		if errors.Is(err, ErrElsewhere) {
			return nil
		}
		if err != nil {
			return err
		}
		addMarks(marks, c, complete(out, c.Out))
	}
	if !differs(marks) {
		return nil // most rules change nothing in most functions
	}
	for _, c := range m.set.Cases(f) {
		if err := m.loosen(r, c, marks, loose); err != nil {
			return err
		}
	}
	furthest := 0.0
	for name, mark := range marks {
		if far := loose[name]; math.IsNaN(far) || math.IsInf(far, 0) {
			return nil // roundings make it anything, so that its answers tell nothing
		}
		mark.Tolerance = math.Max(mark.Tolerance, loose[name])
		furthest = math.Max(furthest, mark.Distance(mark.Want))
	}
	if furthest < clear {
		return nil
	}
	if m.isWritten(f, marks) {
		if !strings.HasSuffix(f, ".backward") {
			m.dropped[r.ID] = true
		}
		return nil
	}
	m.store.Rules[i].Put(f, m.store.Marks[f], marks, loose)
	return nil
}

func differs(marks map[string]diagnose.Mark) bool {
	for _, m := range marks {
		if !m.Right() {
			return true
		}
	}
	return false
}

// runs is how often a rule is asked with roundings.
const runs = 2

// loosen notes where roundings carry the answers of a rule further than those of the
// right formula.
func (m *maker) loosen(r Rule, c fixtures.Case, marks map[string]diagnose.Mark, loose map[string]float64) error {
	for run := range uint64(runs) {
		out, err := r.Eval(c.Function, c.In, rand.New(rand.NewPCG(run, 0x6c6f6f7365))) // "loose"
		if err != nil {
			return err
		}
		for name, v := range complete(out, c.Out) {
			id := c.Function + "/" + c.Name + "/" + name
			mark, sketch := marks[id], diagnose.SketchOf(v)
			for i := range mark.Got.Sums {
				apart := math.Abs(sketch.Sums[i]-mark.Got.Sums[i]) / math.Max(mark.Got.RMS, mark.Want.RMS)
				if apart > mark.Tolerance && apart > loose[id] {
					loose[id] = apart
				}
			}
		}
	}
	return nil
}

// sizes notes the sizes of a function's cases.
func (m *maker) sizes(f string) {
	declared, _ := fixtures.Declared(f)
	if m.store.Sizes == nil {
		m.store.Sizes = map[string]map[string]int{}
	}
	for _, c := range m.set.Cases(f) {
		if sizes, err := declared.Sizes(c.In); err == nil {
			m.store.Sizes[f+"/"+c.Name] = sizes.Letters()
		}
	}
}

// pairs are two rules at once, out of those that are likely enough.
func pairs(all []Rule) []Rule {
	const most = 40 // of a function: a larger formula has too many pairs
	var core, found []Rule
	for _, r := range all {
		if r.core && len(r.changes) == 1 {
			core = append(core, r)
		}
	}
	if len(core) > most {
		return nil
	}
	for i, a := range core {
		for _, b := range core[i+1:] {
			if a.changes[0].place == b.changes[0].place || a.derivative != b.derivative {
				continue
			}
			found = append(found, Rule{ID: a.ID + strings.TrimPrefix(b.ID, "rule"), derivative: a.derivative, changes: append(slices.Clone(a.changes), b.changes...),
				Sentence: diagnose.Sentence{Form: diagnose.Both, Parts: []diagnose.Sentence{a.Sentence, b.Sentence}}})
		}
	}
	return found
}

// complete adds what a function gives back that is not computed: what it was given.
func complete(out, want wire.Values) wire.Values {
	for name, v := range want {
		if _, ok := out[name]; !ok {
			out[name] = v
		}
	}
	return out
}

// isWritten reports whether a written mistake answers a function like this.
func (m *maker) isWritten(f string, marks map[string]diagnose.Mark) bool {
	for _, e := range m.written {
		same := !slices.ContainsFunc(m.store.Marks[f], func(name string) bool {
			s, changed := e.Answers[name]
			return changed && !marks[name].Is(s) || !changed && !marks[name].Right()
		})
		if same {
			return true
		}
	}
	return false
}

// separate leaves one of those rules that a function's answers do not tell apart, if
// they are the same formula, and none of them if only the fixtures do not tell.
func (m *maker) separate(f string) {
	names := m.store.Marks[f]
	for j := range m.store.Rules {
		later := &m.store.Rules[j]
		marks := m.marksOf(later, f)
		if marks == nil {
			continue
		}
		for i := range m.store.Rules[:j] {
			first := &m.store.Rules[i]
			if m.dropped[first.ID] || m.all[i].derivative != m.all[j].derivative {
				continue
			}
			if _, same := first.Agrees(f, names, marks); !same {
				continue
			}
			if !m.oneFormula(m.all[i], m.all[j], f) {
				first.Drop(f, names)
			}
			later.Drop(f, names)
			if !strings.HasSuffix(f, ".backward") {
				m.dropped[later.ID] = true
			}
			break
		}
	}
}

// marksOf returns the marks of a function with the answers of a rule in them.
func (m *maker) marksOf(r *diagnose.Rule, f string) map[string]diagnose.Mark {
	if m.dropped[r.ID] || r.Answers[f] == nil {
		return nil
	}
	marks := map[string]diagnose.Mark{}
	for i, name := range m.store.Marks[f] {
		mark := m.right[f][name]
		mark.Got.Sums = r.Answers[f][2*i : 2*i+2]
		mark.Got.NotFinite = r.NotFinite[name]
		marks[name] = mark
	}
	return marks
}

// oneFormula reports whether two rules answer the same to other numbers than those of
// the fixtures as well.
func (m *maker) oneFormula(a, b Rule, f string) bool {
	rng := rand.New(rand.NewPCG(1, 0x72756c6573)) // "rules"
	for _, c := range m.set.Cases(f) {
		in := moved(c.In, rng)
		x, errA := a.Eval(f, in, nil)
		y, errB := b.Eval(f, in, nil)
		if errA != nil || errB != nil {
			return false
		}
		for name, v := range x {
			mark := diagnose.Mark{Got: diagnose.SketchOf(v), Want: diagnose.SketchOf(v), Tolerance: c.Tolerance[name]}
			if !mark.Is(diagnose.SketchOf(y[name])) {
				return false
			}
		}
	}
	return true
}

// moved returns an input with other real numbers, of the same order.
func moved(in wire.Values, rng *rand.Rand) wire.Values {
	other := in.Clone()
	for _, name := range sortedNames(other) {
		v := other[name]
		for i, x := range v.F32 {
			if size := math.Abs(float64(x)); size < 1e10 {
				v.F32[i] += float32(0.3 * (size + 0.1) * rng.NormFloat64())
			}
		}
	}
	return other
}

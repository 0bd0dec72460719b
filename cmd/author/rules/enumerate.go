package rules

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/oracle"
)

// enumeration lists the rules of a formula.
type enumeration struct {
	graph    oracle.Graph
	all      []*autodiff.Tensor
	backward bool
	found    []Rule
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// names are those of the tensors of the formula and of what is given.
func (e *enumeration) names() []string {
	var names []string
	for _, t := range e.all {
		if t.Name != "" && !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

func (e *enumeration) rules() []Rule {
	letters := slices.DeleteFunc(sortedNames(e.graph.Sizes), func(name string) bool { return len(name) > 1 })
	seen := map[string]bool{}
	for _, t := range e.formula() {
		if seen[place(t)] {
			continue
		}
		seen[place(t)] = true
		values := e.values(t, letters)
		for _, a := range values {
			e.value(t, a)
		}
		if !e.backward {
			continue
		}
		e.slopes(t, letters)
		for _, a := range values {
			if a.kind != diagnose.Added {
				e.graft(t, a)
			}
		}
	}
	return e.found
}

// formula are the tensors that outputs are made of, without what only arranges.
func (e *enumeration) formula() []*autodiff.Tensor {
	used := tensors(oracle.Graph{Outputs: e.graph.Outputs})
	return slices.DeleteFunc(used, func(t *autodiff.Tensor) bool {
		if t.Recipe != nil {
			return !slices.Contains(e.graph.Outputs, t) &&
				slices.Contains([]string{"reshape", "permute", "slice", "rows", "concat"}, t.Recipe.Op)
		}
		_, given := e.graph.Reals[t.Name]
		return !given
	})
}

// isGradient reports whether a gradient that is given has the name.
func (e *enumeration) isGradient(name string) bool {
	return strings.HasPrefix(name, "d") && e.graph.Reals[name] != nil
}

// values are the alternatives to a tensor.
func (e *enumeration) values(t *autodiff.Tensor, letters []string) []alternative {
	var all []alternative
	inputs := 1
	if t.Recipe != nil {
		all, inputs = operations(t, letters), len(t.Recipe.Inputs)
	}
	all = append(all, alternative{"sign", diagnose.Sign, []string{name(t)}, func(c *change) *autodiff.Tensor {
		return autodiff.Scale(c.again(c.in...), -1)
	}, true})
	for _, other := range e.names() {
		if e.isGradient(other) {
			continue
		}
		for i := range inputs {
			all = append(all, alternative{code: fmt.Sprint(i, " is ", other), make: func(c *change) *autodiff.Tensor {
				in := slices.Clone(c.in)
				in[i] = c.find(other)
				if !slices.Equal(in[i].Shape, c.in[i].Shape) || in[i] == c.in[i] {
					panic(errElsewhere)
				}
				if c.t.Recipe == nil {
					return in[i]
				}
				return c.again(in...)
			}})
		}
		if t.Name != "" && t.Recipe != nil {
			all = append(all, withOther(t, other, slices.Contains(e.graph.Outputs, t))...)
		}
	}
	if t.Recipe != nil && t.Recipe.Op == "add" {
		all = append(all, onTop(t, diagnose.Over, "√2", divided(math.Sqrt2)), onTop(t, diagnose.Over, "2", divided(2)))
	}
	if slices.Contains(e.graph.Outputs, t) {
		all = append(all, ends(t, e.names())...)
		for _, letter := range letters {
			all = append(all, onTop(t, diagnose.Over, "√"+letter, overRoot(letter)), onTop(t, diagnose.Over, letter, over(letter)))
		}
	}
	return all
}

// onTop applies an alternative to the right result.
func onTop(t *autodiff.Tensor, kind diagnose.Form, what string, a alternative) alternative {
	return alternative{"on top " + a.code, kind, []string{name(t), what}, func(c *change) *autodiff.Tensor {
		after := *c
		after.in = []*autodiff.Tensor{c.again(c.in...)}
		return a.make(&after)
	}, a.core}
}

// withOther brings another tensor into a result.
func withOther(t *autodiff.Tensor, other string, output bool) []alternative {
	with := func(code string, kind diagnose.Form, what string, f func(a, b *autodiff.Tensor) *autodiff.Tensor) alternative {
		return alternative{code + other, kind, []string{name(t), what}, func(c *change) *autodiff.Tensor {
			return f(c.again(c.in...), c.find(other))
		}, false}
	}
	var all []alternative
	if output || t.Recipe.Op == "add" || t.Recipe.Op == "mul" {
		all = append(all, with("plus ", diagnose.Added, other, autodiff.Add), with("minus ", diagnose.Added, "−"+other, autodiff.Sub))
	}
	if elementwise(t) {
		all = append(all, with("times ", diagnose.Extra, other, autodiff.Mul))
	}
	return all
}

// value adds the rule of an alternative.
func (e *enumeration) value(t *autodiff.Tensor, a alternative) {
	made, err := e.try(t, a.make)
	if err != nil {
		return
	}
	said := diagnose.Sentence{Form: a.kind, Args: a.args}
	switch {
	case a.kind != "" && (t.Name != "" || a.kind.OfOperation()):
	case t.Name != "" && t.Recipe != nil:
		said = diagnose.Sentence{Form: diagnose.Instead, Args: []string{t.Name, name(made), body(t)}}
	default:
		said = diagnose.Sentence{Form: diagnose.Place, Args: []string{name(made), body(t), e.user(t)}}
	}
	e.add(t, a.code, said, a.make)
	e.found[len(e.found)-1].core = a.core
}

// graft adds the rule that an alternative is in the derivative alone.
func (e *enumeration) graft(t *autodiff.Tensor, a alternative) {
	n := len(e.found)
	if e.value(t, alternative{a.code + " in the derivative", a.kind, a.args, a.make, false}); len(e.found) == n {
		return
	}
	e.found[n].Derivative, e.found[n].derivative = true, true
	e.found[n].changes[0].make = func(c *change) *autodiff.Tensor {
		return autodiff.Derived(c.t, []*autodiff.Tensor{a.make(c)}, func(g []float64) [][]float64 { return [][]float64{g} })
	}
}

// slopes adds the wrong ways to hand a gradient back to the inputs of a tensor.
func (e *enumeration) slopes(t *autodiff.Tensor, letters []string) {
	inputs := []*autodiff.Tensor{t}
	if t.Recipe != nil {
		inputs = t.Recipe.Inputs
	}
	for i, in := range inputs {
		if in.Recipe == nil && !slices.Contains(e.formula(), in) || i > 0 && slices.Contains(inputs[:i], in) {
			continue
		}
		for _, d := range derivatives(t, i, e.names(), letters) {
			said := diagnose.Sentence{Form: d.kind, Args: append([]string{gradient(in)}, d.args...)}
			alone := e.users(in) == 1 || t.Recipe == nil
			if d.code == "none" && alone {
				said = diagnose.Sentence{Form: diagnose.Zero, Args: []string{gradient(in)}}
			} else if d.code != "none" && !alone {
				said.Through = name(t)
			}
			e.add(t, fmt.Sprint("to ", i, " ", d.code), said, func(c *change) *autodiff.Tensor { return bent(c, i, d.wrong) })
			last := &e.found[len(e.found)-1]
			last.derivative, last.core = true, slices.Contains([]string{"none", "sign", "alone", "number"}, d.code)
		}
	}
}

// users counts the uses of a tensor.
func (e *enumeration) users(of *autodiff.Tensor) int {
	n := 0
	for _, t := range e.all {
		if t.Recipe != nil {
			for _, in := range t.Recipe.Inputs {
				if in == of {
					n++
				}
			}
		}
	}
	return n
}

// user is the name of what a tensor is used for.
func (e *enumeration) user(of *autodiff.Tensor) string {
	for _, t := range e.all {
		if t.Recipe != nil && slices.Contains(t.Recipe.Inputs, of) {
			if t.Name != "" {
				return t.Name
			}
			return e.user(t)
		}
	}
	return name(of)
}

// try makes a change once.
func (e *enumeration) try(t *autodiff.Tensor, make func(*change) *autodiff.Tensor) (made *autodiff.Tensor, err error) {
	defer recovered(&err)
	newBuilder(e.graph, placed{place(t), func(c *change) *autodiff.Tensor {
		made = make(c)
		return made
	}}).outputs()
	return made, nil
}

// add adds a rule.
func (e *enumeration) add(t *autodiff.Tensor, code string, said diagnose.Sentence, make func(*change) *autodiff.Tensor) {
	h := fnv.New32a()
	fmt.Fprint(h, place(t), ": ", code)
	e.found = append(e.found, Rule{ID: fmt.Sprintf("rule-%08x", h.Sum32()), Sentence: said, changes: []placed{{place(t), make}}})
}

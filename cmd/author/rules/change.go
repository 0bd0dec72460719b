package rules

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/oracle"
)

// errElsewhere says that a formula has no such place.
var errElsewhere = errors.New("the formula has no such place")

// place is what a tensor of a formula is known by in all formulas of a step.
func place(t *autodiff.Tensor) string {
	if t.Recipe == nil {
		return name(t) + " given"
	}
	return name(t) + " by " + t.Recipe.Op
}

// change is a place of a formula, and what stands around it.
type change struct {
	t       *autodiff.Tensor   // the right one
	in      []*autodiff.Tensor // its inputs; of what is given, that itself
	builder *builder
}

// again computes the right tensor from other inputs.
func (c *change) again(in ...*autodiff.Tensor) *autodiff.Tensor {
	if c.t.Recipe == nil {
		return autodiff.Shift(in[0], 0)
	}
	return c.t.Recipe.Again(in...)
}

// find returns a tensor of the formula by its name.
func (c *change) find(name string) *autodiff.Tensor {
	for _, t := range c.builder.all {
		if t.Name == name && t.Recipe == nil {
			return t
		}
		if t.Name == name {
			return c.builder.of(t)
		}
	}
	panic(fmt.Errorf("%w: %s", errElsewhere, name))
}

// size returns a size by its letter.
func (c *change) size(letter string) float64 {
	n, ok := c.builder.graph.Sizes[letter]
	if !ok {
		panic(fmt.Errorf("%w: %s", errElsewhere, letter))
	}
	return float64(n)
}

// builder computes a formula again with a change at a place.
type builder struct {
	graph   oracle.Graph
	all     []*autodiff.Tensor // of the formula, and what is given
	changes []placed

	made map[*autodiff.Tensor]*autodiff.Tensor // nil while it is being made
	hits map[string]bool                       // the places that were there
}

func newBuilder(g oracle.Graph, changes ...placed) *builder {
	return &builder{graph: g, all: tensors(g), changes: changes, made: map[*autodiff.Tensor]*autodiff.Tensor{}, hits: map[string]bool{}}
}

// outputs returns the changed outputs of the formula.
func (b *builder) outputs() []*autodiff.Tensor {
	var out []*autodiff.Tensor
	for _, t := range b.graph.Outputs {
		out = append(out, b.of(t))
	}
	if len(b.hits) < len(b.changes) {
		panic(errElsewhere)
	}
	return out
}

// of returns what becomes of a tensor.
func (b *builder) of(t *autodiff.Tensor) *autodiff.Tensor {
	if made, begun := b.made[t]; begun {
		if made == nil {
			panic(fmt.Errorf("%w: %s is made of itself", errElsewhere, name(t)))
		}
		return made
	}
	b.made[t] = nil
	in := []*autodiff.Tensor{t}
	made := t
	if t.Recipe != nil {
		in = make([]*autodiff.Tensor, len(t.Recipe.Inputs))
		for i, input := range t.Recipe.Inputs {
			in[i] = b.of(input)
		}
		if !slices.Equal(in, t.Recipe.Inputs) {
			made = t.Recipe.Again(in...).Named(t.Name)
		}
	}
	for _, p := range b.changes {
		if place(t) != p.place {
			continue
		}
		b.hits[p.place] = true
		made = p.make(&change{t: t, in: in, builder: b})
		if !slices.Equal(made.Shape, t.Shape) {
			panic(fmt.Errorf("%w: the shape is another", errElsewhere))
		}
	}
	b.made[t] = made
	return made
}

// tensors returns the tensors of a formula, each after those that it is made of, and
// what else is given.
func tensors(g oracle.Graph) []*autodiff.Tensor {
	var all []*autodiff.Tensor
	seen := map[*autodiff.Tensor]bool{}
	var visit func(*autodiff.Tensor)
	visit = func(t *autodiff.Tensor) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Recipe != nil {
			for _, in := range t.Recipe.Inputs {
				visit(in)
			}
		}
		all = append(all, t)
	}
	for _, t := range g.Outputs {
		visit(t)
	}
	for _, name := range sortedNames(g.Reals) {
		visit(g.Reals[name])
	}
	return all
}

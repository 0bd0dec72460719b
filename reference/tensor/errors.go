package tensor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Wildcards of a wanted shape.
const (
	Any  = -1 // one dimension of any size
	Lead = -2 // any number of leading dimensions; only as the first entry
)

// ShapeError says that a tensor has the wrong shape. Layers panic with it: a
// wrong shape is a mistake in the program, not in its data.
type ShapeError struct {
	Op   string // what was being done and to which argument: "Linear.Forward: x"
	Got  []int
	Want []int // may hold the wildcards Any and Lead
}

func (e ShapeError) Error() string {
	if e.Want == nil {
		return fmt.Sprintf("%s: has shape %s", e.Op, ShapeString(e.Got))
	}
	return fmt.Sprintf("%s: got shape %s, want %s", e.Op, ShapeString(e.Got), ShapeString(e.Want))
}

// CheckShape panics with a ShapeError unless t has the wanted shape. A
// dimension of want may be Any; its first entry may be Lead:
//
//	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
func CheckShape(op string, t *Tensor, want ...int) {
	if t == nil {
		panic(ShapeError{Op: op + " is nil", Got: nil, Want: slices.Clone(want)})
	}
	got := t.Shape
	if len(want) > 0 && want[0] == Lead && len(got) >= len(want)-1 {
		got = got[len(got)-(len(want)-1):]
		want = want[1:]
		if matches(got, want) {
			return
		}
		want = append([]int{Lead}, want...)
	} else if matches(got, want) {
		return
	}
	panic(ShapeError{Op: op, Got: slices.Clone(t.Shape), Want: slices.Clone(want)})
}

// CheckLead panics with a ShapeError unless t has the shape (lead…, dims…). A
// dimension of dims may be Any:
//
//	tensor.CheckLead("Attention.Forward: k", k, q.Lead(2), tensor.Any, width)
func CheckLead(op string, t *Tensor, lead []int, dims ...int) {
	if t != nil && len(t.Shape) == len(lead)+len(dims) &&
		slices.Equal(t.Lead(len(dims)), lead) && matches(t.Shape[len(lead):], dims) {
		return
	}
	CheckShape(op, t, slices.Concat(lead, dims)...)
}

func matches(got, want []int) bool {
	return slices.EqualFunc(got, want, func(g, w int) bool { return w == Any || g == w })
}

// IndexError says that a number that must point into a table (a token id, a
// position) lies outside it.
type IndexError struct {
	Op    string // what was being looked up, and where it stood: "Embedding.Forward: ids[1][4]"
	Got   int
	Limit int // valid are 0 ≤ Got < Limit
}

func (e IndexError) Error() string {
	return fmt.Sprintf("%s: got %d, want 0 ≤ index < %d", e.Op, e.Got, e.Limit)
}

// NotImplemented is what a stub panics with. Every runner of the course knows
// it: the step counts as not implemented yet, never as wrong.
type NotImplemented struct {
	What string // "step05: SwiGLU.Forward"
}

func (n NotImplemented) Error() string { return n.What + " is not implemented yet" }

// TODO marks what is left to write. What starts with the step's id:
//
//	panic(tensor.TODO("step05: SwiGLU.Forward"))
func TODO(what string) NotImplemented { return NotImplemented{What: what} }

// ShapeString writes a shape as (2, 3, …), the wildcards as * and ….
func ShapeString(shape []int) string {
	parts := make([]string, len(shape))
	for i, d := range shape {
		switch d {
		case Any:
			parts[i] = "*"
		case Lead:
			parts[i] = "…"
		default:
			parts[i] = strconv.Itoa(d)
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

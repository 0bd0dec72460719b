package verdict

import (
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// copied finds an input that the output is equal to, wherever it is wrong.
func (c *evidence) copied() *Structure {
	for _, in := range c.given.Inputs {
		where, everywhere := c.equals(in)
		if !where {
			continue
		}
		text := lang.T("Your output is equal to the input %s.", in.Name)
		if !everywhere {
			text = lang.T("Where it is wrong, your output is equal to the input %s in the same place.", in.Name)
		}
		return claim("copied", text, copies(in.Name))
	}
	return nil
}

// equals reports whether the output is an array wherever it is wrong, and whether
// it is everywhere.
func (c *evidence) equals(a Array) (whereWrong, everywhere bool) {
	if !c.comparable(a) {
		return false, false
	}
	x := Numbers(a.Value)
	for _, i := range c.wrong {
		if c.got[i] != x[i] {
			return false, false
		}
	}
	return true, slices.Equal(c.got, x)
}

// copies fits an output that is equal to the input of a name.
func copies(name string) func(c *evidence) bool {
	return func(c *evidence) bool {
		return slices.ContainsFunc(c.given.Inputs, func(in Array) bool {
			if in.Name != name {
				return false
			}
			if c.shape == nil { // the output's shape is wrong
				return copiedShape(c.raw, []Array{in}) != nil
			}
			where, _ := c.equals(in)
			return where
		})
	}
}

// copiedShape finds an input that an output of another shape than is wanted is
// equal to.
func copiedShape(got wire.Value, inputs []Array) *Structure {
	for _, in := range inputs {
		if floating(in.Value) && floating(got) && len(got.Shape) > 0 && slices.Equal(in.Value.Shape, got.Shape) &&
			held(in.Value) >= 4 && slices.Equal(Numbers(in.Value), Numbers(got)) {
			return claim("copied", lang.T("Your output is equal to the input %s.", in.Name), copies(in.Name))
		}
	}
	return nil
}

// exchanged finds another result of the call that the output is what is expected of.
func (c *evidence) exchanged() *Structure {
	var found []Structure
	for _, other := range c.given.Others {
		if !c.comparable(other) || !c.agrees(other) {
			continue
		}
		found = append(found, *claim("exchanged", lang.T("Your output is what is expected of %s.", other.Name), func(c *evidence) bool {
			return !slices.ContainsFunc(c.given.Others, func(o Array) bool { return o.Name == other.Name && c.comparable(o) && !c.agrees(o) })
		}))
	}
	return only(found)
}

// comparable reports whether an array has the output's shape.
func (c *evidence) comparable(a Array) bool {
	return floating(a.Value) && slices.Equal(a.Value.Shape, c.shape) && held(a.Value) == len(c.got)
}

// agrees reports whether the output is another array but for rounding.
func (c *evidence) agrees(a Array) bool {
	for i, want := range Numbers(a.Value) {
		if !c.fit.agrees(c.got[i], want) {
			return false
		}
	}
	return true
}

package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

const (
	// printed is how many numbers of an input are printed at most,
	printed = 13
	// and arrays is of how many inputs.
	arrays = 3
	// layer is how many arrays of numbers a layer takes at most: of a block or of a
	// model with more, one small gain explains nothing.
	layer = 6
	// remarkable is how large a number is at least that may have made something
	// infinite: e^89 is more than float32 holds.
	remarkable = 20
)

// inputFacts says of the inputs what may help to understand a wrong result: what is
// special about them where it is not finite, and the numbers of the small ones.
func (d *Difference) inputFacts(inputs []Array) []Fact {
	var facts []Fact
	add := func(text lang.Text) {
		if len(facts) < arrays {
			facts = append(facts, Fact{lang.T("input"), text})
		}
	}
	special := d.special(inputs)
	if !special.Empty() {
		add(special)
	}
	elementwise := !slices.ContainsFunc(inputs, func(in Array) bool {
		return len(in.Value.Shape) > 0 && !(floating(in.Value) && slices.Equal(in.Value.Shape, d.WantShape))
	})
	floats := 0
	for _, in := range inputs {
		if floating(in.Value) && len(in.Value.Shape) > 0 {
			floats++
		}
	}
	for _, in := range inputs {
		switch v := in.Value; {
		case len(v.Shape) == 0 || v.DType == wire.Text || v.Len() == 0:
		case floating(v) && floats > layer:
		case v.Len() <= printed:
			add(lang.Raw(in.Name + " = " + array(v.Shape, texts(v))))
		case special.Empty() && d.ofRow(v):
			n := v.Shape[len(v.Shape)-1]
			row := Numbers(v)[offset(v.Shape, d.BeganAt)/n*n:][:n]
			add(extent(lang.T("the row %s", in.Name+indexString(d.BeganAt[:len(v.Shape)-1])), row))
		case elementwise && d.First != nil:
			add(lang.Raw(fmt.Sprintf("%s%s = %s", in.Name, d.At(), brief(number(v, offset(v.Shape, d.First)), 4))))
		case special.Empty() && d.BeganAt != nil && floating(v):
			add(extent(lang.Raw(in.Name), Numbers(v)))
		}
	}
	return facts
}

// extent says from where to where some numbers go. NaN is none of them.
func extent(of lang.Text, all []float64) lang.Text {
	numbers := slices.DeleteFunc(slices.Clone(all), math.IsNaN)
	switch {
	case len(numbers) == 0:
		return lang.T("%s holds nothing but NaN", of)
	case len(numbers) < len(all):
		return lang.T("%s goes from %s to %s, with NaN between the numbers", of, brief(slices.Min(numbers), 4), brief(slices.Max(numbers), 4))
	}
	return lang.T("%s goes from %s to %s", of, brief(slices.Min(numbers), 4), brief(slices.Max(numbers), 4))
}

// ofRow reports whether an input has the shape of a result that is not finite, row
// by row.
func (d *Difference) ofRow(v wire.Value) bool {
	return d.BeganAt != nil && floating(v) && slices.Equal(v.Shape, d.WantShape) && len(v.Shape) > 1
}

// offset is where the element at an index stands in an array.
func offset(shape, at []int) int {
	i := 0
	for a, k := range at {
		i = i*shape[a] + k
	}
	return i
}

// texts are the elements of an array as they are printed.
func texts(v wire.Value) []string {
	all := make([]string, held(v))
	for i := range all {
		if all[i] = significant(number(v, i), 5); v.DType == wire.Bool {
			all[i] = fmt.Sprint(v.Bool[i])
		}
	}
	return all
}

// array writes elements as an array of a shape: "[[1 2] [3 4]]".
func array(shape []int, elements []string) string {
	if len(shape) == 1 {
		return "[" + strings.Join(elements, " ") + "]"
	}
	parts, size := make([]string, shape[0]), len(elements)/shape[0]
	for k := range parts {
		parts[k] = array(shape[1:], elements[k*size:(k+1)*size])
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// special says what is special about an input where the result is not finite, and
// should be: what holds there and nowhere else.
func (d *Difference) special(inputs []Array) lang.Text {
	if d.BeganAt == nil || len(d.WantShape) == 0 {
		return lang.Text{}
	}
	bad := make([]bool, d.Total)
	for i, wrong := range d.mask {
		bad[i] = wrong && !finite(number(d.got, i)) && finite(number(d.want, i))
	}
	for _, in := range inputs {
		if !floating(in.Value) || held(in.Value) == 0 {
			continue
		}
		for _, g := range d.groups(in) {
			if text := g.special(in.Name, g.marked(bad)); !text.Empty() {
				return text
			}
		}
	}
	return lang.Text{}
}

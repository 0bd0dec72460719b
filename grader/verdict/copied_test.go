package verdict

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/wire"
)

func TestExplainCopies(t *testing.T) {
	x, g, want, flat := random(1, 3, 4), random(2, 3, 4), random(3, 3, 4), scale(random(4, 3, 4), times1(0))
	inputs := []Array{{"ids", wire.Ints([]int64{1, 2, 3, 4}, 2, 2)}, {"x", x}, {"g", g}, {"flat", flat}}
	partly := edit(want, func(i int, w float32) float32 {
		if i/4 == 1 {
			return x.F32[i]
		}
		return w
	})
	for name, c := range map[string]struct {
		got, want wire.Value
		given     Given
		text      string
	}{
		"an input":                  {x, want, Given{Inputs: inputs}, "Your output is equal to the input x."},
		"the other input":           {g, want, Given{Inputs: inputs}, "Your output is equal to the input g."},
		"in places":                 {partly, want, Given{Inputs: inputs}, "Where it is wrong, your output is equal to the input x in the same place."},
		"in another shape":          {x, random(5, 3, 5), Given{Inputs: inputs}, "Your output is equal to the input x."},
		"all zeros":                 {flat, want, Given{Inputs: inputs}, "Your output is 0 everywhere."},
		"nearly":                    {scale(x, times1(1.0001)), want, Given{Inputs: inputs}, "Your output is 1.0001 times the input x everywhere."},
		"not one of them":           {x, want, Given{Inputs: inputs[2:]}, ""},
		"what another should be":    {g, want, Given{Others: []Array{{"dv", x}, {"dk", g}}}, "Your output is what is expected of dk."},
		"what two others should be": {g, want, Given{Others: []Array{{"dv", g}, {"dk", g}}}, ""},
		"nearly what another is":    {partly, want, Given{Others: []Array{{"dv", x}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Explain(c.got, c.want, tolerance, c.given)
			if c.text == "" {
				require.Nil(t, s)
				return
			}
			require.NotNil(t, s)
			require.Equal(t, c.text, s.Text.String())
		})
	}
}

// In a product nobody speaks of gradients, and what is to be replaced is not to be
// added to.
func TestExplainProduct(t *testing.T) {
	before, product := random(11, 4, 6), random(12, 4, 6)
	sum := func(x, y float32) wire.Value {
		return edit(before, func(i int, b float32) float32 { return x*b + y*product.F32[i] })
	}
	holes := edit(before, func(i int, x float32) float32 {
		if i%3 == 0 {
			return float32(nan)
		}
		return x
	})
	for name, c := range map[string]struct {
		got, want wire.Value
		before    Before
		text      string
	}{
		"overwritten":       {product, sum(1, 1), Before{Value: before}, "Your output is the product alone: it replaces what was there before the call, where it should be added to it."},
		"unchanged":         {before, sum(1, 1), Before{Value: before}, "Your output is what was there before the call: nothing has been added."},
		"twice":             {sum(1, 2), sum(1, 1), Before{Value: before}, "Your output is what was there before plus 2 times the product."},
		"added":             {sum(1, 1), product, Before{Value: before, Replaced: true}, "Your output is what was there before plus the product, which should replace it."},
		"nothing written":   {before, product, Before{Value: before, Replaced: true}, "Your output is what was there before the call: nothing has been written."},
		"NaN before, added": {edit(holes, func(i int, b float32) float32 { return b + product.F32[i] }), product, Before{Value: holes, Replaced: true}, "Your output is what was there before plus the product, which should replace it."},
		"twice, replaced":   {scale(product, times1(2)), product, Before{Value: before, Replaced: true}, "Your output is 2 times what is expected everywhere."},
	} {
		t.Run(name, func(t *testing.T) {
			s := Explain(c.got, c.want, tolerance, Given{Before: &c.before})
			require.NotNil(t, s)
			require.Equal(t, c.text, s.Text.String())
		})
	}
}

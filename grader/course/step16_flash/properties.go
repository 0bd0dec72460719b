package flash

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// sameInAnyTiles asks for one text in four pairs of tiles: what comes out may not depend
// on them by more than rounding.
func sameInAnyTiles(function string, draw func(*rand.Rand) wire.Values) func(*course.Exam) error {
	tiles := [][2]int{{3, 4}, {1, 1}, {5, 2}, {100, 100}}
	return func(e *course.Exam) error {
		in, want, err := e.Drawn(course.Drawing{Function: function, Draw: draw})
		if err != nil {
			return err
		}
		var first wire.Values
		return course.InTurn(len(tiles), func(i int) error {
			in := course.With(course.With(in, "tile_n", wire.Int(tiles[i][0])), "tile_m", wire.Int(tiles[i][1]))
			got, err := e.Ask(function, in)
			if err != nil {
				return err
			}
			if first == nil {
				first = got
			}
			for _, name := range course.SortedNames(want) {
				d := verdict.Compare(name, got[name], first[name], 2*e.Tolerance(function, name)) // each may be off by one
				if d != nil {
					one, other := d.Numbers()
					return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked(function, in),
						Message: lang.T("%s is %s in tiles of %d queries and %d keys, and %s in tiles of %d and %d; want the same in all",
							name+d.At(), one, tiles[i][0], tiles[i][1], other, tiles[0][0], tiles[0][1])}
				}
			}
			return e.Compare(function, in, got, want, nil, func(output string) float64 { return e.Tolerance(function, output) })
		})
	}
}

// lowScores checks that a hidden key stays hidden however low the allowed scores are:
// nothing but −Inf lies below all of them. The first key has the highest score by far: how
// the weights of equal scores are shared beyond 1e16, where ln 2 is less than the distance
// to the next float64, is asked of nobody.
func lowScores(e *course.Exam) error {
	for _, magnitude := range []float32{1e4, 1e16, 1e19} { // the highest score is −1.4 times its square
		q, k := make([]float32, 10), make([]float32, 10)
		for i := range q {
			q[i], k[i] = magnitude, -magnitude*(1+float32(i/2)/8)
		}
		in := wire.Values{"q": wire.Float32s(q, 5, 2), "k": wire.Float32s(k, 5, 2), "v": course.Normal(e.Rng, 1, 5, 4),
			"causal": wire.Int(1), "tile_n": wire.Int(2), "tile_m": wire.Int(3)}
		if err := e.Against("flash.forward", in, nil); err != nil {
			return err
		}
	}
	return nil
}

// oneTensor lets a text attend to itself: the bindings hand over one tensor where q, k and
// v are the same numbers.
func oneTensor(function string) func(*course.Exam) error {
	draw := func(rng *rand.Rand) wire.Values {
		in := sizes{[]int{2}, 7, 7, 5, 5, 1, 3, 2}.draw(rng)
		in["k"], in["v"] = in["q"], in["q"]
		return in
	}
	if function == "flash.backward" {
		draw = withGradient(draw)
	}
	ask := course.AgreesForEach(course.Drawing{Function: function, Draw: draw})
	return func(e *course.Exam) error { return course.Told(lang.T("q, k and v are one tensor"), ask(e)) }
}

// tilesAfter sets other tiles between Forward, which reads them, and Backward.
func tilesAfter(e *course.Exam) error {
	const function = "flash.backward"
	in, want, err := e.Drawn(course.Drawing{Function: function, Draw: drawBackward})
	if err != nil {
		return err
	}
	return course.InTurn(2, func(i int) error {
		in := course.With(in, "tiles_after", wire.Int([]int{1, 100}[i]))
		got, err := e.Ask(function, in)
		if err == nil {
			err = e.Compare(function, in, got, want, nil, func(output string) float64 { return e.Tolerance(function, output) })
		}
		return course.Told(lang.T("TileN and TileM are others after Forward, which has read them"), err)
	})
}

// loneKey asks for the gradient of the value of the only key there is, whose weight is 1
// however large or small its score: e^900 and e^−900 are no numbers even in float64.
func loneKey(e *course.Exam) error {
	const function = "flash.backward"
	for _, score := range []float32{900, -900} {
		q, k := make([]float32, 5*4), []float32{score, 0, 0, 0}
		for i := range 5 {
			q[4*i] = 2 // the scale is 1/√4
		}
		in := wire.Values{"q": wire.Float32s(q, 5, 4), "k": wire.Float32s(k, 1, 4), "v": course.Normal(e.Rng, 1, 1, 3),
			"dy": course.Normal(e.Rng, 1, 5, 3), "causal": wire.Int(0), "tile_n": wire.Int(2), "tile_m": wire.Int(3)}
		want, err := e.Solve(function)(in)
		if err != nil {
			return err
		}
		got, err := e.Ask(function, in)
		if err == nil { // the gradients of q and k are 0 but for rounding
			err = e.Compare(function, in, got, want, []string{"dv"}, func(output string) float64 { return e.Tolerance(function, output) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maskComesAndGoes asks one layer with the same sizes, with the causal mask and without:
// what the mask hides now, it did not hide before. The first two tiles of queries see nothing
// any more, and y is 0 there.
func maskComesAndGoes(e *course.Exam) error {
	s := sizes{[]int{2}, 11, 5, 4, 3, 0, 3, 2}
	masked := s
	masked.causal = 1
	return course.OneLayer(
		course.Drawing{Function: "flash.weights", Draw: s.draw}, course.Drawing{Function: "flash.weights", Draw: masked.draw},
		course.Drawing{Function: "flash.backward", Draw: withGradient(s.draw)}, course.Drawing{Function: "flash.forward", Draw: masked.draw},
		course.Drawing{Function: "flash.forward", Draw: s.draw}, course.Drawing{Function: "flash.backward", Draw: withGradient(masked.draw)},
	)(e)
}

package diagnose

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// sketch stands for an answer that is a single number.
func sketch(x float64) Sketch {
	return Sketch{RMS: max(x, -x), Sums: slices.Repeat([]float64{x}, sums)}
}

// answered are marks where the right answer is always 1.
func answered(got map[string]float64) map[string]Mark {
	marks := map[string]Mark{}
	for name, x := range got {
		marks[name] = Mark{Got: sketch(x), Want: sketch(1), Tolerance: 1e-6, Chosen: name == "extreme"}
	}
	return marks
}

func TestExplain(t *testing.T) {
	known := Known{}
	for id, answers := range map[string]map[string]float64{
		"a":          {"y/1": 2, "y/2": 2},
		"a/too":      {"y/1": 2, "y/2": 2, "dx/1": 2},
		"twin":       {"y/1": 5},
		"other-twin": {"y/1": 5},
		"b":          {"dx/1": 3},
		"c":          {"dw/1": 4},
		"d":          {"dw/1": 4, "n": 4},
		"e":          {"n": 6},
		"far":        {"extreme": 7},
	} {
		e := Entry{Checks: []string{"check of " + id}, Answers: map[string]Sketch{}}
		for name, x := range answers {
			e.Answers[name] = sketch(x)
		}
		known[id] = e
	}
	tests := map[string]struct {
		got  map[string]float64
		want []string
	}{
		"all right":                        {map[string]float64{"y/1": 1, "y/2": 1, "dx/1": 1}, nil},
		"one mistake":                      {map[string]float64{"y/1": 2, "y/2": 2, "dx/1": 1}, []string{"a"}},
		"within the tolerance":             {map[string]float64{"y/1": 2.00001, "y/2": 1.99999, "dx/1": 1}, []string{"a"}},
		"not quite":                        {map[string]float64{"y/1": 2.0001, "y/2": 2, "dx/1": 1}, nil},
		"a variant has the mistake's name": {map[string]float64{"y/1": 2, "y/2": 2, "dx/1": 2}, []string{"a"}},
		"backward is not written yet":      {map[string]float64{"y/1": 2, "y/2": 2}, []string{"a"}},
		"only half of a mistake":           {map[string]float64{"y/1": 2, "y/2": 1, "dx/1": 1}, nil},
		"a mistake and something unknown":  {map[string]float64{"y/1": 2, "y/2": 2, "dx/1": 9}, nil},
		"two that cannot be told apart":    {map[string]float64{"y/1": 5, "y/2": 1}, nil},
		"two mistakes":                     {map[string]float64{"y/1": 2, "y/2": 2, "dx/1": 3}, []string{"a", "b"}},
		"three mistakes":                   {map[string]float64{"y/1": 2, "y/2": 2, "dx/1": 3, "dw/1": 4, "n": 1}, []string{"a", "b", "c"}},
		"four are too many":                {map[string]float64{"y/1": 2, "y/2": 2, "dx/1": 3, "dw/1": 4, "n": 6}, nil},
		"one certain, one of two":          {map[string]float64{"y/1": 5, "y/2": 1, "dx/1": 3}, []string{"b"}},
		"an extreme alone":                 {map[string]float64{"y/1": 1, "extreme": 7}, []string{"far"}},
		"an extreme beside a mistake":      {map[string]float64{"y/1": 2, "y/2": 2, "extreme": 9}, []string{"a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var ids []string
			for _, f := range known.Explain(answered(tt.got)) {
				ids = append(ids, f.ID)
			}
			require.Equal(t, tt.want, ids)
		})
	}
}

// A mistake speaks at the checks that it makes fail, whichever variant it is.
func TestExplainNamesTheChecks(t *testing.T) {
	known := Known{
		"a":     {Checks: []string{"forward"}, Answers: map[string]Sketch{"y": sketch(2)}},
		"a/too": {Checks: []string{"forward", "backward"}, Answers: map[string]Sketch{"y": sketch(2), "dx": sketch(2)}},
	}
	found := known.Explain(answered(map[string]float64{"y": 2.000001, "dx": 2}))
	require.Len(t, found, 1)
	require.Equal(t, []string{"forward", "backward"}, found[0].Checks)
	require.InDelta(t, 5e-7, found[0].Agreement, 1e-9)
}

package diagnose

import (
	"maps"
	"slices"
	"strings"
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
		marks[name] = Mark{Got: sketch(x), Want: sketch(1), Tolerance: 1e-6,
			Chosen: strings.Contains(name, "extreme"), Outcome: strings.Contains(name, "is kept")}
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
		"a mistake and something unknown":  {map[string]float64{"y/1": 2, "y/2": 2, "dx/1": 9}, []string{"a"}},
		"something unknown beside it":      {map[string]float64{"y/1": 2, "y/2": 2, "y/3": 9}, nil},
		"two that cannot be told apart":    {map[string]float64{"y/1": 5, "y/2": 1}, nil},
		"two mistakes":                     {map[string]float64{"y/1": 2, "y/2": 2, "dx/1": 3}, []string{"a", "b"}},
		"three mistakes":                   {map[string]float64{"y/1": 2, "y/2": 2, "dx/1": 3, "dw/1": 4, "n": 1}, []string{"a", "b", "c"}},
		"four, and two that may be one":    {map[string]float64{"y/1": 2, "y/2": 2, "dx/1": 3, "dw/1": 4, "n": 6}, []string{"a", "b", "e"}},
		"one certain, one of two":          {map[string]float64{"y/1": 5, "y/2": 1, "dx/1": 3}, []string{"b"}},
		"an extreme alone":                 {map[string]float64{"y/1": 1, "extreme": 7}, []string{"far"}},
		"an extreme beside a mistake":      {map[string]float64{"y/1": 2, "y/2": 2, "extreme": 9}, []string{"a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var ids []string
			for _, f := range known.Explain(answered(tt.got), []string{"y", "dx", "dw", "n"}) {
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
	found := known.Explain(answered(map[string]float64{"y": 2.000001, "dx": 2}), []string{"y", "dx"})
	require.Len(t, found, 1)
	require.Equal(t, []string{"forward", "backward"}, found[0].Checks)
	require.InDelta(t, 5e-7, found[0].Agreement, 1e-9)
}

// A mistake has its name in the functions that it explains, whatever a function
// is that is built on these, and is not named where one of these answers otherwise.
func TestExplainByFunction(t *testing.T) {
	functions := []string{"net.forward", "net.backward", "top.forward", "top.backward"}
	const f, b, tf, tb = "net.forward/1/y", "net.backward/1/dx", "top.forward/1/y", "top.backward/1/dx"
	const dw, extreme, kept = "net.backward/1/dw", "net.forward.extremes/1/y", "net.forward.pure/x is kept"
	known := Known{}
	for id, answers := range map[string]map[string]float64{
		"scale":            {f: 2, b: 2, tf: 2, tb: 2},
		"scale/derivative": {f: 2, b: 3, tf: 2, tb: 3},
		"shift":            {f: 4},
		"shift-and-more":   {f: 4, tf: 4},
		"sign":             {b: -1},
		"lost":             {dw: 0},
		"top":              {tf: 5, tb: 5},
		"far":              {extreme: 7},
		"in-place":         {kept: 0},
		"also-in-place":    {f: 6, kept: 0},
	} {
		e := Entry{Answers: map[string]Sketch{}}
		for name, x := range answers {
			e.Answers[name] = sketch(x)
			e.Checks = append(e.Checks, function(name, functions)+".fixtures")
		}
		known[id] = e
	}
	where := func(functions ...string) []string {
		var checks []string
		for _, f := range functions {
			checks = append(checks, f+".fixtures")
		}
		return checks
	}
	net, top := where("net.forward"), where("top.forward", "top.backward")
	both, derivative, everywhere := where("net.forward", "top.forward"), where("net.backward"), where(functions...)
	tests := map[string]struct {
		got  map[string]float64 // otherwise right
		not  []string           // not written
		want map[string][]string
	}{
		"as it is stored":                {map[string]float64{f: 2, b: 2, tf: 2, tb: 2}, nil, map[string][]string{"scale": everywhere}},
		"its derivative is right":        {map[string]float64{f: 2, tf: 2}, nil, map[string][]string{"scale": both}},
		"its derivative is not written":  {map[string]float64{f: 2, tf: 2}, []string{b, dw, tb}, map[string][]string{"scale": everywhere}},
		"its derivative is unknown":      {map[string]float64{f: 2, b: 9, tf: 2, tb: 9}, nil, map[string][]string{"scale": both}},
		"its derivative has another":     {map[string]float64{f: 2, b: -1, tf: 2, tb: 9}, nil, map[string][]string{"scale": both, "sign": derivative}},
		"its derivative is another's":    {map[string]float64{f: 2, b: -1, tf: 2}, nil, map[string][]string{"scale": both, "sign": derivative}},
		"only the derivative is its own": {map[string]float64{b: 3, tb: 3}, nil, map[string][]string{}},
		"the derivative of another":      {map[string]float64{f: 9, b: 3, tf: 9, tb: 3}, nil, map[string][]string{}},
		"what uses it is right":          {map[string]float64{f: 2, b: 2}, nil, map[string][]string{"scale": where("net.forward", "net.backward")}},
		"what uses it is unknown":        {map[string]float64{f: 2, b: 2, tf: 9, tb: 9}, nil, map[string][]string{"scale": where("net.forward", "net.backward")}},
		"one that explains more":         {map[string]float64{f: 4, tf: 4, b: 9}, nil, map[string][]string{"shift-and-more": both}},
		"one that explains all":          {map[string]float64{f: 4}, nil, map[string][]string{"shift": net}},
		"two, of which one may be":       {map[string]float64{f: 4, b: -1, tf: 9}, nil, map[string][]string{"sign": derivative}},
		"two outputs of one function":    {map[string]float64{b: -1, dw: 0}, nil, map[string][]string{"sign": derivative, "lost": derivative}},
		"one output of two":              {map[string]float64{b: 9, dw: 0}, nil, map[string][]string{}},
		"two functions":                  {map[string]float64{b: -1, tf: 5, tb: 5}, nil, map[string][]string{"sign": derivative, "top": top}},
		"an extreme, and more elsewhere": {map[string]float64{extreme: 7, tf: 9}, nil, map[string][]string{"far": net}},
		"only how a check ends":          {map[string]float64{kept: 0}, nil, map[string][]string{}},
		"how a check ends, and an array": {map[string]float64{f: 6, kept: 0}, nil, map[string][]string{"also-in-place": net}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := map[string]float64{f: 1, b: 1, dw: 1, tf: 1, tb: 1, extreme: 1, kept: 1}
			maps.Copy(got, tt.got)
			maps.DeleteFunc(got, func(name string, _ float64) bool { return slices.Contains(tt.not, name) })
			checks := map[string][]string{}
			for _, f := range known.Explain(answered(got), functions) {
				checks[f.ID] = f.Checks
			}
			require.Equal(t, len(tt.want), len(checks), "%v", checks)
			for id, want := range tt.want {
				require.ElementsMatch(t, want, checks[id], id)
			}
		})
	}
}

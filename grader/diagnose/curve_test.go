package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A mistake that has a signature is known by its loss curves, if they are much
// nearer to the subject's than any others.
func TestCurve(t *testing.T) {
	// falls is a curve that falls from 4 to 0 in a line that is bent.
	falls := func(bend float64) Sketch {
		s := Sketch{RMS: 3}
		for i := range 5 {
			s.Sums = append(s.Sums, 4-float64(i)+bend*float64(i*i))
		}
		return s
	}
	runs := []string{"short/losses", "long/losses", "clipped/losses"}
	entry := func(curve bool, bends ...float64) Entry {
		e := Entry{Checks: []string{"train"}, Curve: curve, Answers: map[string]Sketch{"weights": {Sums: []float64{9}}}}
		for i, bend := range bends {
			e.Answers[runs[i]] = falls(bend)
		}
		return e
	}
	known := Known{
		"never-cleared":          entry(true, 0.5, 0.6, 0.7),
		"never-cleared/shards":   entry(true, 0.8, 0.9, 1),
		"constant-rate":          entry(true, -0.2, -0.2, -0.3),
		"like-the-constant-rate": entry(false, -0.2, -0.2, -0.302),
		"no-signature":           entry(false, 2, 2, 2),
		"changes-one":            entry(true, 1.5),
	}
	tests := map[string]struct {
		bends []float64
		want  string
	}{
		"right":                        {[]float64{0, 0, 0}, ""},
		"the curve itself":             {[]float64{0.5, 0.6, 0.7}, "never-cleared"},
		"hardly another":               {[]float64{0.505, 0.595, 0.702}, "never-cleared"},
		"a variant of it":              {[]float64{0.8, 0.9, 1.01}, "never-cleared"},
		"between a variant and it":     {[]float64{0.65, 0.75, 0.85}, ""},
		"not near enough":              {[]float64{0.55, 0.65, 0.75}, ""},
		"another is as near":           {[]float64{-0.2, -0.2, -0.301}, ""},
		"a mistake without signature":  {[]float64{2, 2, 2}, ""},
		"one run of three is like it":  {[]float64{0.5, 0, 0}, ""},
		"right but for a single curve": {[]float64{1.5, 0, 0}, "changes-one"},
		"two runs are too few":         {[]float64{0.5, 0.6}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			marks := map[string]Mark{"weights": {Got: Sketch{Sums: []float64{5}}}}
			for i, bend := range tt.bends {
				marks[runs[i]] = Mark{Got: falls(bend), Want: falls(0), Curve: true}
			}
			f := known.Curve(marks)
			if tt.want == "" {
				require.Nil(t, f)
				return
			}
			require.Equal(t, tt.want, f.ID)
			require.True(t, f.Curve)
			require.Equal(t, []string{"train"}, f.Checks)
		})
	}
}

package initializers

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRepetition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	drawn := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	cycle, before := drawn(70), drawn(33)
	var circling []float32
	for range 5 {
		circling = append(circling, cycle...)
	}
	for name, c := range map[string]struct {
		x            []float32
		from, period int
	}{
		"none":                   {drawn(5000), 0, 0},
		"nothing":                {nil, 0, 0},
		"two alike at the end":   {append(drawn(50), 1, 1), 0, 0},
		"from the beginning":     {circling, 0, 70},
		"in the middle of one":   {circling[:300], 0, 70},
		"not twice":              {circling[:139], 0, 0},
		"after others":           {append(before, circling...), 33, 70},
		"only one number":        {make([]float32, 100), 0, 1},
		"the last one is broken": {append(circling[:len(circling):len(circling)], 7), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			from, period := repetition(c.x)
			require.Equal(t, c.from, from)
			require.Equal(t, c.period, period)
		})
	}
}

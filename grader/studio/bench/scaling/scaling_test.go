package scaling

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// step is one of four shards on a machine with two cores: half of a shard's time is in
// products, of which all but a tenth is divided.
var step = Step{Model: "little", Machine: "a machine", Cores: 2, Sequences: 12, Tokens: 768, Shards: 4,
	Layers: 5, Products: Part{5, 2.75}, Sums: Part{0.4, 0.2}, Clipping: Part{0.1, 0.1}, AdamW: Part{0.5, 0.3}, Waking: 0.01,
	Measured: map[int]float64{1: 41.2, 2: 21}}

func TestSeconds(t *testing.T) {
	for _, c := range []struct {
		cores int
		want  float64
	}{
		{1, 4*10 + 0.4 + 0.1 + 0.5},
		{2, 2*10 + 0.01 + 0.2 + 0.1 + 0.3},
		{3, 2*10 + 0.01 + 0.4/3 + 0.1 + 0.1 + 0.4/3},             // two rounds, in the second of which two cores wait
		{4, 10 + 0.01 + 0.1 + 0.1 + 0.1 + 0.1},                   // a shard each
		{6, 10 + 0.01 + 0.4/6 + 0.1 + 0.1 + 0.4/6},               // two cores more are not two for each shard
		{16, 5 + 0.5 + 4.5/4 + 0.01 + 0.025 + 0.1 + 0.1 + 0.025}, // four for each
	} {
		require.InDelta(t, c.want, step.Seconds(c.cores), 1e-9, "%d cores", c.cores)
	}
}

// What was slower on all cores is not promised to be faster on more, and what was faster
// than can be (the clock is not that exact) takes no less than nothing.
func TestLimits(t *testing.T) {
	s := Step{Cores: 2}
	require.Equal(t, 1.0, s.on(Part{1, 1.2}, 16))
	require.Equal(t, 1.0/16, s.on(Part{1, 0.4}, 16))
	s.Cores = 1
	require.Equal(t, 1.0, s.on(Part{1, 1}, 16))
}

func TestTable(t *testing.T) {
	table := step.Table()
	require.Contains(t, table, "a shard's products                   5000.000     2750.000\n")
	require.Contains(t, table, "    2     20610.00         37       1.99     21000.00\n")
	require.Contains(t, table, "   32 ")
}

package lm

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWorkedExample holds the numbers of the lesson, steps/step10_lm/README.md;
// those of sampling are in worked_test.go.
func TestWorkedExample(t *testing.T) {
	tiny := Config{VocabSize: 5, ContextLength: 8, DModel: 4, NumLayers: 1, NumHeads: 2, DFF: 8, RopeTheta: 10000}
	require.NoError(t, tiny.Validate())
	require.Equal(t, 212, NumParams(tiny))
	require.Equal(t, 1224, ForwardFLOPs(tiny, 1, 3))
}

func TestValidateNamesWhatIsWrong(t *testing.T) {
	good := Config{VocabSize: 10, ContextLength: 8, DModel: 12, NumLayers: 1, NumHeads: 3, DFF: 8, RopeTheta: 10000}
	for name, c := range map[string]struct {
		change func(*Config)
		words  []string
	}{
		"odd heads": {func(c *Config) { c.NumHeads = 4 },
			[]string{"d_model is 12", "num_heads is 4", "multiple of 8"}},
		"nothing to learn": {func(c *Config) { c.VocabSize, c.DFF = 0, -1 }, []string{"vocab_size is 0", "d_ff is -1"}},
		"no wavelength":    {func(c *Config) { c.RopeTheta = math.NaN() }, []string{"rope_theta is NaN"}},
	} {
		t.Run(name, func(t *testing.T) {
			bad := good
			c.change(&bad)
			require.NoError(t, good.Validate())
			for _, w := range c.words {
				require.ErrorContains(t, bad.Validate(), w)
			}
		})
	}
}

// TestWhereItGoes prints the lesson's tables of parameters, operations and memory.
func TestWhereItGoes(t *testing.T) {
	models := []struct {
		name string
		Config
	}{
		{"small", Config{VocabSize: 91, DModel: 128, NumLayers: 4, DFF: 344}},
		{"base", Config{VocabSize: 10_000, DModel: 512, NumLayers: 4, DFF: 1344}},
		{"Llama 7B", Config{VocabSize: 32_000, DModel: 4096, NumLayers: 32, DFF: 11_008}},
	}
	for _, m := range models {
		c, total := m.Config, NumParams(m.Config)
		share := func(n int) float64 { return 100 * float64(n) / float64(total) }
		t.Logf("%-8s  %d parameters: embedding and head %.1f %%, attention %.1f %%, feed-forward %.1f %%",
			m.name, total,
			share(2*c.VocabSize*c.DModel), share(c.NumLayers*4*c.DModel*c.DModel), share(c.NumLayers*3*c.DModel*c.DFF))
	}
	require.Equal(t, 6_738_415_616, NumParams(models[2].Config)) // the published size

	for _, m := range models[1:] {
		for _, seq := range []int{256, 1024, 4096, 16_384, 65_536} {
			scores := 4 * seq * m.DModel * m.NumLayers // of one token
			token := ForwardFLOPs(m.Config, 1, seq) / seq
			t.Logf(
				"%-8s T %-6d %8.3f GFLOP a token, %4.1f %% scores and values; cache %.1f MB; a head's scores %.2f MB",
				m.name, seq, float64(token)/1e9, 100*float64(scores)/float64(token),
				float64(2*seq*m.DModel*m.NumLayers*2)/1e6, float64(seq*seq*4)/1e6)
		}
	}
}

package lm

import "fmt"

type Config struct {
	VocabSize     int     `json:"vocab_size"`
	ContextLength int     `json:"context_length"`
	DModel        int     `json:"d_model"`
	NumLayers     int     `json:"num_layers"`
	NumHeads      int     `json:"num_heads"`
	DFF           int     `json:"d_ff"`
	RopeTheta     float64 `json:"rope_theta"`
}

func (c Config) Validate() error {
	if c.VocabSize < 1 || c.ContextLength < 1 || c.DModel < 1 || c.NumLayers < 0 || c.NumHeads < 1 || c.DFF < 1 || c.RopeTheta <= 0 {
		return fmt.Errorf("a size is not positive: %+v", c)
	}
	if c.DModel/c.NumHeads*c.NumHeads != c.DModel || c.DModel/c.NumHeads%2 == 1 {
		return fmt.Errorf("d_model = %d cannot be divided among num_heads = %d heads of even width", c.DModel, c.NumHeads)
	}
	return nil
}

func NumParams(c Config) int {
	perLayer := c.DModel * (4*c.DModel + 3*c.DFF + 2)
	return c.DModel*(2*c.VocabSize+1) + c.NumLayers*perLayer
}

func ForwardFLOPs(c Config, batch, seq int) int {
	product := func(m, k, n int) int { return 2 * m * k * n }
	tokens := batch * seq
	sum := product(tokens, c.DModel, c.VocabSize)
	for range c.NumLayers {
		sum += 4*product(tokens, c.DModel, c.DModel) + 3*product(tokens, c.DModel, c.DFF)
		sum += batch * 2 * product(seq, c.DModel, seq)
	}
	return sum
}

package lm

// NumParams counts one tensor after another.
func NumParams(c Config) int {
	total := c.DModel // the last norm
	for range 2 {     // embedding and head
		total += c.VocabSize * c.DModel
	}
	for range c.NumLayers {
		for range 4 {
			total += c.DModel * c.DModel
		}
		for range 3 {
			total += c.DModel * c.DFF
		}
		total += 2 * c.DModel
	}
	return total
}

// ForwardFLOPs counts one product after another.
func ForwardFLOPs(c Config, batch, seq int) int {
	product := func(m, k, n int) int { return 2 * m * k * n }
	total := product(batch*seq, c.DModel, c.VocabSize)
	for range c.NumLayers {
		total += product(batch*seq, c.DModel, 3*c.DModel) + product(batch*seq, c.DModel, c.DModel)
		for range batch * c.NumHeads {
			k := c.DModel / c.NumHeads
			total += product(seq, k, seq) + product(seq, seq, k)
		}
		total += 3 * product(batch*seq, c.DModel, c.DFF)
	}
	return total
}

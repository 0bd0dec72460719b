package lm

func NumParams(c Config) int {
	perLayer := c.DModel * (4*c.DModel + 3*c.DFF + 2)
	return c.NumLayers*perLayer + (2*c.VocabSize+1)*c.DModel
}

func ForwardFLOPs(c Config, batch, seq int) int {
	perToken := c.NumLayers*(8*c.DModel*c.DModel+6*c.DModel*c.DFF+4*seq*c.DModel) + 2*c.DModel*c.VocabSize
	return batch * seq * perToken
}

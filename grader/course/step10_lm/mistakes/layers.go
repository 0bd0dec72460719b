//go:build mistake

package lm

// layers-share-weights: all layers share one set of weights
//
// Why: Every layer has weights of its own: L blocks, each called once, one after the other.
//
// Hint: for _, b := range m.Blocks { x = b.Forward(x, positions) }
func (*LM) Forward() {
	if right {
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
	} else {
		for range m.Blocks {
			x = m.Blocks[0].Forward(x, m.positions)
		}
	}
}

func (*LM) Backward() {
	if right {
		for l := len(m.Blocks) - 1; l >= 0; l-- {
			dx = m.Blocks[l].Backward(dx)
		}
	} else {
		for range m.Blocks {
			dx = m.Blocks[0].Backward(dx)
		}
	}
}

// layers-share-weights/forward-only
func (*LM) Forward() {
	if right {
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
	} else {
		for range m.Blocks {
			x = m.Blocks[0].Forward(x, m.positions)
		}
	}
}

// layers-share-weights/one-block: all layers are one and the same block
func New() {
	if right {
		name := fmt.Sprintf("layers.%d.", l)
	} else {
		if l > 0 {
			m.Blocks = append(m.Blocks, m.Blocks[0])
			continue
		}
		name := fmt.Sprintf("layers.%d.", l)
	}
}

// last-layer-missing: the last layer is left out: L − 1 of them run
//
// Why: Every layer has weights of its own: L blocks, each called once, one after the other.
//
// Hint: for _, b := range m.Blocks { x = b.Forward(x, positions) }
func (*LM) Forward() {
	if right {
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
	} else {
		for _, b := range m.Blocks[:len(m.Blocks)-1] {
			x = b.Forward(x, m.positions)
		}
	}
}

func (*LM) Backward() {
	if right {
		for l := len(m.Blocks) - 1; l >= 0; l-- {
			dx = m.Blocks[l].Backward(dx)
		}
	} else {
		for l := len(m.Blocks) - 2; l >= 0; l-- {
			dx = m.Blocks[l].Backward(dx)
		}
	}
}

// last-layer-missing/forward-only
func (*LM) Forward() {
	if right {
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
	} else {
		for _, b := range m.Blocks[:len(m.Blocks)-1] {
			x = b.Forward(x, m.positions)
		}
	}
}

// first-layer-missing: the first layer is left out: L − 1 of them run
//
// Why: Every layer has weights of its own: L blocks, each called once, one after the other.
//
// Hint: for _, b := range m.Blocks { x = b.Forward(x, positions) }
func (*LM) Forward() {
	if right {
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
	} else {
		for _, b := range m.Blocks[1:] {
			x = b.Forward(x, m.positions)
		}
	}
}

func (*LM) Backward() {
	if right {
		for l := len(m.Blocks) - 1; l >= 0; l-- {
			dx = m.Blocks[l].Backward(dx)
		}
	} else {
		for l := len(m.Blocks) - 1; l > 0; l-- {
			dx = m.Blocks[l].Backward(dx)
		}
	}
}

// first-layer-missing/forward-only
func (*LM) Forward() {
	if right {
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
	} else {
		for _, b := range m.Blocks[1:] {
			x = b.Forward(x, m.positions)
		}
	}
}

// layers-reversed: the layers run from the last to the first
//
// Why: Layer 0 reads the embeddings.
//
// Hint: for _, b := range m.Blocks { x = b.Forward(x, positions) }
func (*LM) Forward() {
	if right {
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
	} else {
		for l := len(m.Blocks) - 1; l >= 0; l-- {
			x = m.Blocks[l].Forward(x, m.positions)
		}
	}
}

func (*LM) Backward() {
	if right {
		for l := len(m.Blocks) - 1; l >= 0; l-- {
			dx = m.Blocks[l].Backward(dx)
		}
	} else {
		for _, b := range m.Blocks {
			dx = b.Backward(dx)
		}
	}
}

// layers-reversed/forward-only
func (*LM) Forward() {
	if right {
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
	} else {
		for l := len(m.Blocks) - 1; l >= 0; l-- {
			x = m.Blocks[l].Forward(x, m.positions)
		}
	}
}

// layer-input-added: the input of every layer is added to its output once more
//
// Why: A block holds its two residual connections itself.
//
// Hint: for _, b := range m.Blocks { x = b.Forward(x, positions) }
func (*LM) Forward() {
	if right {
		x = b.Forward(x, m.positions)
	} else {
		z := x.Clone()
		for i, v := range b.Forward(x, m.positions).Data {
			z.Data[i] += v
		}
		x = z
	}
}

func (*LM) Backward() {
	if right {
		dx = m.Blocks[l].Backward(dx)
	} else {
		dx = dx.Clone()
		for i, g := range m.Blocks[l].Backward(dx).Data {
			dx.Data[i] += g
		}
	}
}

// layer-input-added/forward-only
func (*LM) Forward() {
	if right {
		x = b.Forward(x, m.positions)
	} else {
		z := x.Clone()
		for i, v := range b.Forward(x, m.positions).Data {
			z.Data[i] += v
		}
		x = z
	}
}

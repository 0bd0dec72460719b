//go:build mistake

package windows

// position-mod-window: RoPE turns by the position mod W
//
// Why: The angle is the token's position in the text. A place in the ring says nothing of how far away a token is.
//
// Hint: Positions Len(), Len() + 1, …
func (*Cache) next() {
	if right {
		positions[i] = c.length + i
	} else {
		positions[i] = (c.length + i) % c.window
	}
}

// position-is-slot: RoPE turns by the place in the ring
//
// Why: The angle is the token's position in the text. A place in the ring says nothing of how far away a token is.
//
// Hint: Positions Len(), Len() + 1, …
func (*Cache) next() {
	if right {
		positions[i] = c.length + i
	} else {
		positions[i] = Slot(c.length+i, c.window, c.sinks)
	}
}

// positions-restart: every call begins at position 0
//
// Why: The new tokens come behind those that have been read.
//
// Hint: Positions Len(), Len() + 1, …
func (*Cache) next() {
	if right {
		positions[i] = c.length + i
	} else {
		positions[i] = i
	}
}

// position-of-the-call: all new tokens stand at the position of the first
//
// Why: Every token has a position of its own.
//
// Hint: Positions Len(), Len() + 1, …
func (*Cache) next() {
	if right {
		positions[i] = c.length + i
	} else {
		positions[i] = c.length
	}
}

// keys-not-turned: the keys are stored before RoPE, and never turned
//
// Why: Scores depend on the distance between query and key only if both are turned.
//
// Hint: RoPE on q and k, then the key goes to its place.
func (*Cache) attend() {
	if right {
		c.k = c.rope.Forward(c.k, c.k, c.positions)
	} else {
	}
}

// queries-not-turned: RoPE is not applied to the queries
//
// Why: Scores depend on the distance between query and key only if both are turned.
//
// Hint: RoPE on q and k.
func (*Cache) attend() {
	if right {
		c.q = c.rope.Forward(c.q, c.q, c.positions)
	} else {
	}
}

// values-turned: RoPE is applied to the values, too
//
// Why: RoPE is about scores. What a token hands over has no position.
//
// Hint: RoPE on q and k only.
func (*Cache) attend() {
	if right {
		c.k = c.rope.Forward(c.k, c.k, c.positions)
	} else {
		c.k = c.rope.Forward(c.k, c.k, c.positions)
		c.v = c.rope.Forward(c.v, c.v, c.positions)
	}
}

// length-never-grows: the length stays 0
//
// Why: The next call goes on behind this one.
//
// Hint: Add the number of new tokens at the end of Forward.
func (*Cache) Forward() {
	if right {
		c.length += len(ids)
	} else {
	}
}

// length-by-call: the length grows by one a call, however many tokens it has read
//
// Why: Len is the number of tokens.
//
// Hint: Add len(ids).
func (*Cache) Forward() {
	if right {
		c.length += len(ids)
	} else {
		c.length++
	}
}

// length-by-layer: the length grows in every layer
//
// Why: All layers write a token to the same place, and its position is the same in all.
//
// Hint: Add the number of new tokens when all blocks are through.
func (*Cache) Forward() {
	if right {
		for l, b := range c.model.Blocks {
			kernel.Add(stream, stream, c.attend(b.Attn, c.rings[l], b.Norm1.Forward(c.x)).Data)
			kernel.Add(stream, stream, b.FFN.Forward(b.Norm2.Forward(c.x)).Data)
		}
		c.length += len(ids)
	} else {
		for l, b := range c.model.Blocks {
			kernel.Add(stream, stream, c.attend(b.Attn, c.rings[l], b.Norm1.Forward(c.x)).Data)
			kernel.Add(stream, stream, b.FFN.Forward(b.Norm2.Forward(c.x)).Data)
			c.length += len(ids)
		}
	}
}

// length-before-ids: a call with an unknown id changes the length
//
// Why: After an error everything is as before.
//
// Hint: The length grows at the very end.
func (*Cache) Forward() {
	if right {
		x, err := c.model.Embedding.Forward([][]int{ids})
		if err != nil {
			return nil, fmt.Errorf("Cache: %w", err)
		}
	} else {
		x, err := c.model.Embedding.Forward([][]int{ids})
		if err != nil {
			c.length += len(ids)
			return nil, fmt.Errorf("Cache: %w", err)
		}
	}
}

// room-not-checked: more than T_max tokens are read
//
// Why: The tables of RoPE end there.
//
// Hint: An error before anything is read.
func (*Cache) Forward() {
	if right {
		if c.length+len(ids) > c.maxLen {
			return nil, fmt.Errorf("Cache: %d tokens have been read, and %d more are more than the %d that may be",
				c.length, len(ids), c.maxLen)
		}
	} else {
		if c.length+len(ids) > c.maxLen {
			c.rope = rope.New(c.model.Config.RopeTheta, 2*c.rope.Cos.Dim(1), 2*(c.length+len(ids)))
		}
	}
}

// any-cache: a window of 0 keys or less, and fewer than 0 sinks, are accepted
//
// Why: A mistake of the caller is to be said where it is made.
//
// Hint: A ShapeError unless window and maxLen are at least 1 and sinks at least 0.
func New() {
	if right {
		if window < 1 || sinks < 0 || maxLen < 1 {
			op := "windows.New: window and maxLen must be at least 1, sinks at least 0"
			panic(tensor.ShapeError{Op: op, Got: []int{window, maxLen, sinks}})
		}
	} else {
		window, sinks, maxLen = max(1, window), max(0, sinks), max(1, maxLen)
	}
}

// ring-of-the-text: the buffers have room for the whole text
//
// Why: The memory of s + W tokens is what a ring is for.
//
// Hint: (H, s + W, K) for each layer, whatever T_max is.
func New() {
	if right {
		c.rings = append(c.rings, ring{
			keys:   tensor.New(heads, sinks+window, width),
			values: tensor.New(heads, sinks+window, width),
		})
	} else {
		c.rings = append(c.rings, ring{
			keys:   tensor.New(heads, sinks+window+maxLen, width),
			values: tensor.New(heads, sinks+window+maxLen, width),
		})
	}
}

// ring-without-sinks: a buffer of W places holds the sinks as well
//
// Why: W keys and s sinks are s + W.
//
// Hint: (H, s + W, K).
func New() {
	if right {
		c := &Cache{model: m, window: window, sinks: sinks, maxLen: maxLen}
	} else {
		window = max(1, window-sinks)
		c := &Cache{model: m, window: window, sinks: sinks, maxLen: maxLen}
	}
}

// keys-counted-only: the values are not counted
//
// Why: A cache has keys and values.
//
// Hint: 2·L·(s + W)·D numbers.
func (*Cache) Bytes() {
	if right {
		numbers += r.keys.Len() + r.values.Len()
	} else {
		numbers += r.keys.Len()
	}
}

// numbers-counted: numbers are counted, and not bytes
//
// Why: A float32 has four bytes.
//
// Hint: Four times as many.
func (*Cache) Bytes() {
	if right {
		return 4 * numbers
	} else {
		return numbers
	}
}

// tables-again: RoPE's tables are made anew for every call
//
// Why: They have T_max rows, and a call reads a few tokens.
//
// Hint: rope.New in New.
func (*Cache) Forward() {
	if right {
		c.positions = append(c.positions[:0], c.next(len(ids)))
	} else {
		c.rope = rope.New(c.model.Config.RopeTheta, 2*c.rope.Cos.Dim(1), c.maxLen)
		c.positions = append(c.positions[:0], c.next(len(ids)))
	}
}

// all-read-again: every call reads the whole text again
//
// Why: The logits are right, at the price of the whole text for every token.
//
// Hint: Embed the new tokens only: of the old ones their keys and values are there.
type Cache struct {
	model         *lm.LM
	rope          *rope.RoPE
	rings         []ring
	window, sinks int
	length        int
	maxLen        int

	attention attention.Attention
	positions [][]int
	x         *tensor.Tensor
	q, k, v   *tensor.Tensor
	joined    *tensor.Tensor
	all       []int
}

func (*Cache) Forward() {
	if right {
		c.positions = append(c.positions[:0], c.next(len(ids)))
		c.x = tensor.Reuse(c.x, len(ids), c.model.Config.DModel)
		copy(c.x.Data, x.Data)
	} else {
		fresh := len(ids)
		c.all = append(c.all, ids...)
		ids = c.all
		c.length = 0
		x, _ = c.model.Embedding.Forward([][]int{ids})
		c.positions = append(c.positions[:0], c.next(len(ids)))
		c.x = tensor.Reuse(c.x, len(ids), c.model.Config.DModel)
		copy(c.x.Data, x.Data)
	}
	if right {
		return c.model.Head.Forward(c.model.Norm.Forward(c.x)), nil
	} else {
		return c.model.Head.Forward(c.model.Norm.Forward(c.x.Slice(len(ids)-fresh, len(ids)))), nil
	}
}

// everything-kept: the logits and the stream of every call are kept
//
// Why: Nobody reads them again, and their memory grows with the text.
//
// Hint: tensor.Reuse.
func (*Cache) Forward() {
	if right {
		c.x = tensor.Reuse(c.x, len(ids), c.model.Config.DModel)
		copy(c.x.Data, x.Data)
	} else {
		c.rings = append(c.rings, ring{tensor.New(1, len(ids), c.model.Config.DModel), nil})
		c.x = c.rings[len(c.rings)-1].keys.Reshape(len(ids), c.model.Config.DModel)
		copy(c.x.Data, x.Data)
	}
}

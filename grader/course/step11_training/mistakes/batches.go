//go:build mistake

package training

// targets-unshifted: the targets are the ids themselves
//
// Why: The model learns to repeat its input. The loss falls to 0 within a few hundred updates, and
// what it writes is one token for ever.
//
// Hint: targets[i] is the token after ids[i]: text[start + i + 1].
func (*Tokens) Batch() {
	if right {
		t.targets[b][i] = int(t.file.At(start + i + 1))
	} else {
		t.targets[b][i] = int(t.file.At(start + i))
	}
}

// targets-before: the targets are the tokens before the ids instead of those after
//
// Why: The model learns to write backwards, which it can read off its own input.
//
// Hint: text[start + i + 1].
func (*Tokens) Batch() {
	if right {
		t.targets[b][i] = int(t.file.At(start + i + 1))
	} else {
		t.targets[b][i] = int(t.file.At(max(0, start+i-1)))
	}
}

// targets-wrap: the last target of a window is its first token
//
// Why: The ids rolled by one are not the tokens that follow: the last one needs the token after
// the window.
//
// Hint: A window has context + 1 tokens.
func (*Tokens) Batch() {
	if right {
		t.targets[b][i] = int(t.file.At(start + i + 1))
	} else {
		t.targets[b][i] = int(t.file.At(start + (i+1)%context))
	}
}

// last-token-never: the windows never reach the last token
//
// Why: Len − context places are possible, 0 to Len − context − 1. IntN(n) already leaves n out.
//
// Hint: rng.IntN(Len − context).
func (*Tokens) Batch() {
	if right {
		starts := t.Len() - context
	} else {
		starts := t.Len() - context - 1
	}
}

// past-the-end: some windows reach one token past the end
//
// Why: A window needs context + 1 tokens, because of the last target.
//
// Hint: rng.IntN(Len − context).
func (*Tokens) Batch() {
	if right {
		starts := t.Len() - context
	} else {
		starts := t.Len() - context + 1
	}
}

// first-token-never: the windows never begin at the first token
//
// Why: Places are counted from 0.
//
// Hint: rng.IntN(Len − context), and nothing added.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := min(starts-1, 1+rng.IntN(max(1, starts-1)))
	}
}

// one-start-for-all: all sequences of a batch begin at the same place
//
// Why: A batch of equal sequences is no better than one sequence.
//
// Hint: Draw a place for each sequence.
func (*Tokens) Batch() {
	if right {
		for b := range batch {
			start := rng.IntN(starts)
			for i := range context {
				t.ids[b][i] = int(t.file.At(start + i))
				t.targets[b][i] = int(t.file.At(start + i + 1))
			}
		}
	} else {
		start := rng.IntN(starts)
		for b := range batch {
			for i := range context {
				t.ids[b][i] = int(t.file.At(start + i))
				t.targets[b][i] = int(t.file.At(start + i + 1))
			}
		}
	}
}

// windows-side-by-side: windows begin only at multiples of context
//
// Why: Each token then always stands at the same place of its window, and tokens on both sides of
// a border never meet.
//
// Hint: All places from 0 to Len − context − 1 are equally likely.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rng.IntN(starts) / context * context
	}
}

// other-generator: the batches do not come from the generator that is given
//
// Why: The global generator cannot be seeded or stored: no run could be repeated or resumed.
//
// Hint: rng.IntN, not rand.IntN.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rand.IntN(starts)
	}
}

// ids-cut-to-16-bits: ids that need more than 16 bits are cut off without an error
//
// Why: 65536 becomes 0, and nobody will ever know.
//
// Hint: Check each id before you write it.
func WriteTokens() {
	if right {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	} else {
		if id < math.MinInt {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	}
}

// tokens-big-endian: the tokens are written with the higher byte first
//
// Why: What writes and what reads must agree; nearly all machines and all files of this course
// have the lower byte first.
//
// Hint: binary.LittleEndian.
func WriteTokens() {
	if right {
		data = binary.LittleEndian.AppendUint16(data, uint16(id))
	} else {
		data = binary.BigEndian.AppendUint16(data, uint16(id))
	}
}

//go:build mistake

package lm

// stop-included: the stop token is part of the text
//
// Why: The stop token says that the text has ended before it.
//
// Hint: Compare with Stop before you append.
func (*LM) Generate() {
	if right {
		if next == s.Stop {
			break
		}
	} else {
	}
	if right {
		text = append(text, next)
	} else {
		text = append(text, next)
		if next == s.Stop {
			break
		}
	}
}

// stop-ignored: the stop token does not end the text
//
// Why: Without it a model goes on to the next document.
//
// Hint: Break when the token is Stop.
func (*LM) Generate() {
	if right {
		if next == s.Stop {
			break
		}
	} else {
	}
}

// stop-skipped: the stop token is left out, but the text goes on
//
// Why: continue goes to the next round, break ends the loop.
//
// Hint: break.
func (*LM) Generate() {
	if right {
		break
	} else {
		continue
	}
}

// first-of-context: a text longer than the context keeps its first tokens instead of its last
//
// Why: A text longer than the context is read through a window that moves along with it. With its
// beginning alone, the model answers the same for ever.
//
// Hint: text[max(0, len(text)-ContextLength):]
func (*LM) Generate() {
	if right {
		context := text[max(0, len(text)-m.Config.ContextLength):]
	} else {
		context := text[:min(len(text), m.Config.ContextLength)]
	}
}

// context-one-short: a long text is cut to one token less than the context holds
//
// Why: A text longer than the context is read through a window that moves along with it.
//
// Hint: The last ContextLength tokens.
func (*LM) Generate() {
	if right {
		context := text[max(0, len(text)-m.Config.ContextLength):]
	} else {
		context := text[max(0, len(text)-m.Config.ContextLength+1):]
	}
}

// prompt-of-context: the window keeps the prompt and as many new tokens as fit
//
// Why: A text longer than the context is read through a window that moves along with it.
//
// Hint: The last ContextLength tokens, whatever they are.
func (*LM) Generate() {
	if right {
		context := text[max(0, len(text)-m.Config.ContextLength):]
	} else {
		context := text
		if over := len(text) - m.Config.ContextLength; over > 0 && len(prompt) < m.Config.ContextLength {
			context = append(slices.Clone(prompt), text[len(prompt)+over:]...)
		} else if over > 0 {
			context = text[over:]
		}
	}
}

// prompt-returned: the prompt is returned together with the new tokens
//
// Why: Who calls has the prompt already.
//
// Hint: return text[len(prompt):].
func (*LM) Generate() {
	if right {
		return text[len(prompt):], nil
	} else {
		return text, nil
	}
}

// first-logits: the next token is drawn from the logits of the first position
//
// Why: The logits at a position are about the token after it. Only the last position is about one
// that is not there yet.
//
// Hint: logits.Row(T − 1).
func (*LM) Generate() {
	if right {
		last := logits.Row(len(context) - 1)
	} else {
		last := logits.Row(0)
	}
}

// one-token-more: one token more than MaxNew is generated
//
// Why: MaxNew counts tokens, not what lies between them.
//
// Hint: for range MaxNew.
func (*LM) Generate() {
	if right {
		for range s.MaxNew {
			context := text[max(0, len(text)-m.Config.ContextLength):]
			logits, err := m.Forward([][]int{context})
			if err != nil {
				return nil, err
			}
			last := logits.Row(len(context) - 1)
			if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
				return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
			}
			next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
			if next == s.Stop {
				break
			}
			text = append(text, next)
		}
	} else {
		for range s.MaxNew + 1 {
			context := text[max(0, len(text)-m.Config.ContextLength):]
			logits, err := m.Forward([][]int{context})
			if err != nil {
				return nil, err
			}
			last := logits.Row(len(context) - 1)
			if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
				return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
			}
			next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
			if next == s.Stop {
				break
			}
			text = append(text, next)
		}
	}
}

// one-token-less: one token less than MaxNew is generated
//
// Why: MaxNew counts tokens, not what lies between them.
//
// Hint: for range MaxNew.
func (*LM) Generate() {
	if right {
		for range s.MaxNew {
			context := text[max(0, len(text)-m.Config.ContextLength):]
			logits, err := m.Forward([][]int{context})
			if err != nil {
				return nil, err
			}
			last := logits.Row(len(context) - 1)
			if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
				return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
			}
			next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
			if next == s.Stop {
				break
			}
			text = append(text, next)
		}
	} else {
		for range s.MaxNew - 1 {
			context := text[max(0, len(text)-m.Config.ContextLength):]
			logits, err := m.Forward([][]int{context})
			if err != nil {
				return nil, err
			}
			last := logits.Row(len(context) - 1)
			if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
				return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
			}
			next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
			if next == s.Stop {
				break
			}
			text = append(text, next)
		}
	}
}

// one-token-only: the model reads only the last token, not the text before it
//
// Why: A Transformer remembers nothing from one Forward to the next. What it shall know has to be
// in the context.
//
// Hint: The last ContextLength tokens.
func (*LM) Generate() {
	if right {
		context := text[max(0, len(text)-m.Config.ContextLength):]
	} else {
		context := text[len(text)-1:]
	}
}

// always-greedy: the temperature is ignored: the text is always the likeliest one
//
// Why: The likeliest token each time gives a text that repeats itself.
//
// Hint: Distribution(last, s.Temperature, s.TopP).
func (*LM) Generate() {
	if right {
		next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
	} else {
		next := Draw(Distribution(last, 0, s.TopP), rng)
	}
}

// temperature-not-passed: the text is drawn at temperature 1, whatever is asked for
//
// Why: At temperature 0 the text must be the same every time.
//
// Hint: Distribution(last, s.Temperature, s.TopP).
func (*LM) Generate() {
	if right {
		next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
	} else {
		next := Draw(Distribution(last, 1, s.TopP), rng)
	}
}

// top-p-not-passed: top-p is not passed on to Distribution
//
// Why: The many unlikely tokens together are likely.
//
// Hint: Distribution(last, s.Temperature, s.TopP).
func (*LM) Generate() {
	if right {
		next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
	} else {
		next := Draw(Distribution(last, s.Temperature, 1), rng)
	}
}

// generator-not-used: the text does not depend on the generator that is passed in
//
// Why: Another seed should give another text, and the same seed the same.
//
// Hint: Draw(…, rng).
func (*LM) Generate() {
	if right {
		next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
	} else {
		next := Draw(Distribution(last, s.Temperature, s.TopP), rand.New(rand.NewPCG(uint64(len(text)), 0)))
	}
}

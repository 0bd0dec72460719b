//go:build unlisted

package lm

import "slices"

// stop-token-kept: the token that ends the text is part of it
//
// Why: Generate returns the Stop token as the last one.
func (*LM) Generate() {
	if right {
		if next == s.Stop {
			break
		}
		text = append(text, next)
	} else {
		text = append(text, next)
		if next == s.Stop {
			break
		}
	}
}

// stop-in-prompt: the text ends as soon as it holds the Stop token anywhere
//
// Why: A prompt that contains the Stop token gets at most one new token.
func (*LM) Generate() {
	if right {
		text = append(text, next)
	} else {
		text = append(text, next)
		if slices.Contains(text, s.Stop) {
			break
		}
	}
}

// first-tokens-of-text: a text that is too long is read from its beginning
//
// Why: When the text is longer than the context the model reads its first tokens and not its last: the new ones no longer depend on what was just written.
func (*LM) Generate() {
	if right {
		context := text[max(0, len(text)-m.Config.ContextLength):]
	} else {
		context := text[:min(len(text), m.Config.ContextLength)]
	}
}

// last-token-only: each round reads only the newest token, as if the model kept the others
//
// Why: From the second round on the model does not see the prompt.
func (*LM) Generate() {
	if right {
		context := text[max(0, len(text)-m.Config.ContextLength):]
	} else {
		context := text[max(0, len(text)-m.Config.ContextLength):]
		if len(text) > len(prompt) {
			context = text[len(text)-1:]
		}
	}
}

// logits-of-first-place: the next token is drawn from the logits of the first place
//
// Why: The next token follows the first token of the context and not the last.
func (*LM) Generate() {
	if right {
		last := logits.Row(len(context) - 1)
	} else {
		last := logits.Row(0)
	}
}

// logits-of-prompt-end: the logits are read where the prompt ended
//
// Why: From the second round on the token is drawn from the logits after the prompt and not after the text so far.
func (*LM) Generate() {
	if right {
		last := logits.Row(len(context) - 1)
	} else {
		last := logits.Row(min(len(prompt), len(context)) - 1)
	}
}

// prompt-returned-too: Generate returns the prompt and the new tokens
//
// Why: The result begins with the prompt, where only the new tokens are wanted.
func (*LM) Generate() {
	if right {
		return text[len(prompt):], nil
	} else {
		return text, nil
	}
}

// max-new-counts-prompt: MaxNew limits the whole text
//
// Why: Generate stops when prompt and new tokens together are MaxNew.
func (*LM) Generate() {
	if right {
		text = append(text, next)
	} else {
		text = append(text, next)
		if len(text) >= s.MaxNew {
			break
		}
	}
}

// top-p-ignored: Generate draws from the whole distribution
//
// Why: Generate does not pass TopP on: tokens outside the nucleus occur.
func (*LM) Generate() {
	if right {
		next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
	} else {
		next := Draw(Distribution(last, s.Temperature, 1), rng)
	}
}

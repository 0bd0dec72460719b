//go:build mistake

package lora

import (
	"slices"
)

// mask-by-input: what counts is where the answer is read, and not where it is predicted
//
// Why: Position t predicts the token at t + 1. So the answer's first token is never learned.
//
// Hint: The first that counts is the last of the prompt: t = P − 1.
func NewExample() {
	if right {
		for t := len(prompt) - 1; t < last; t++ {
			e.Counted[t] = true
		}
	} else {
		for t := len(prompt); t < last; t++ {
			e.Counted[t] = true
		}
	}
}

// end-not-counted: the end of the answer does not count
//
// Why: The model never learns to stop.
//
// Hint: The last position counts: its target is the end.
func NewExample() {
	if right {
		for t := len(prompt) - 1; t < last; t++ {
			e.Counted[t] = true
		}
	} else {
		for t := len(prompt) - 1; t < last-1; t++ {
			e.Counted[t] = true
		}
	}
}

// mask-shifted-whole: the mask lies one position too late, and the end is not counted
//
// Why: Counted is for targets.
//
// Hint: Position t counts if text[t+1] belongs to the answer or is the end.
func NewExample() {
	if right {
		for t := len(prompt) - 1; t < last; t++ {
			e.Counted[t] = true
		}
	} else {
		for t := len(prompt); t < last-1; t++ {
			e.Counted[t] = true
		}
	}
}

// mask-too-early: the last token of the prompt counts too
//
// Why: It is a question, and not ours to write.
//
// Hint: The first target that counts is the first of the answer.
func NewExample() {
	if right {
		for t := len(prompt) - 1; t < last; t++ {
			e.Counted[t] = true
		}
	} else {
		for t := max(0, len(prompt)-2); t < last; t++ {
			e.Counted[t] = true
		}
	}
}

// prompt-counted: the prompt counts too
//
// Why: The model learns to write questions, and with long prompts mostly that.
//
// Hint: Only targets of the answer and its end count.
func NewExample() {
	if right {
		for t := len(prompt) - 1; t < last; t++ {
			e.Counted[t] = true
		}
	} else {
		for t := 0; t < last; t++ {
			e.Counted[t] = true
		}
	}
}

// mask-inverted: the prompt counts, and the answer does not
//
// Why: Counted is true where the loss looks.
//
// Hint: True from the last position of the prompt on.
func NewExample() {
	if right {
		for t := len(prompt) - 1; t < last; t++ {
			e.Counted[t] = true
		}
	} else {
		for t := range len(prompt) - 1 {
			e.Counted[t] = true
		}
	}
}

// end-forgotten: the example has no end token
//
// Why: The model never learns to stop.
//
// Hint: The text is prompt, answer, end.
func NewExample() {
	if right {
		text := slices.Concat(prompt, answer, []int{end})
	} else {
		text := slices.Concat(prompt, answer)
	}
}

// end-after-prompt: an end token stands between prompt and answer too
//
// Why: In the model's own text nothing would put it there.
//
// Hint: One end, behind the answer.
func NewExample() {
	if right {
		text := slices.Concat(prompt, answer, []int{end})
	} else {
		text := slices.Concat(prompt, []int{end}, answer, []int{end})
	}
}

// targets-not-shifted: the targets are the tokens that are read
//
// Why: To say what was just read is learned in a minute and is no use.
//
// Hint: Targets is the text from its second token on.
func NewExample() {
	if right {
		e := Example{IDs: text[:last:last], Targets: text[1:], Counted: make([]bool, last)}
	} else {
		e := Example{IDs: text[:last:last], Targets: slices.Clone(text[:last]), Counted: make([]bool, last)}
	}
}

// answer-ends-at-token: what counts ends at the first end token inside the answer
//
// Why: The place decides, and not the token.
//
// Hint: Everything behind the prompt counts.
func NewExample() {
	if right {
		for t := len(prompt) - 1; t < last; t++ {
			e.Counted[t] = true
		}
	} else {
		for t := len(prompt) - 1; t < last; t++ {
			e.Counted[t] = true
			if e.Targets[t] == end {
				break
			}
		}
	}
}

// memory-of-prompt: the answer is appended to the prompt's own memory
//
// Why: A slice of a longer text has room behind it: the tokens that stand there are overwritten.
//
// Hint: slices.Concat, or a new slice.
func NewExample() {
	if right {
		text := slices.Concat(prompt, answer, []int{end})
	} else {
		text := append(append(prompt, answer...), end)
	}
}

// end-taken-for-padding: targets that are the padding token do not count, and so not the end
//
// Why: Many tokenizers use one token for both. The model never learns to stop, and the loss looks good.
//
// Hint: Append false for the padding, and look at no token.
func Batch() {
	if right {
		e = e.padded(longest, pad)
	} else {
		e = e.padded(longest, pad)
		for t, target := range e.Targets {
			if target == pad {
				e.Counted[t] = false
			}
		}
	}
}

// padding-counted: the padding counts
//
// Why: The model learns to write padding behind each answer, and short answers weigh less.
//
// Hint: Append false for the padding.
func (Example) padded() {
	if right {
		return Example{IDs: slices.Concat(e.IDs, fill), Targets: slices.Concat(e.Targets, fill),
			Counted: slices.Concat(e.Counted, make([]bool, more))}
	} else {
		return Example{IDs: slices.Concat(e.IDs, fill), Targets: slices.Concat(e.Targets, fill),
			Counted: slices.Concat(e.Counted, slices.Repeat([]bool{true}, more))}
	}
}

// padded-in-front: rows are filled up in front
//
// Why: Then every position of the text is another than in generation, unless somebody corrects them.
//
// Hint: Append the padding.
func (Example) padded() {
	if right {
		return Example{IDs: slices.Concat(e.IDs, fill), Targets: slices.Concat(e.Targets, fill),
			Counted: slices.Concat(e.Counted, make([]bool, more))}
	} else {
		return Example{IDs: slices.Concat(fill, e.IDs), Targets: slices.Concat(fill, e.Targets),
			Counted: slices.Concat(make([]bool, more), e.Counted)}
	}
}

// padded-with-zero: rows are filled up with the token 0
//
// Why: pad says which token it is; 0 may be a word.
//
// Hint: Fill up with pad.
func (Example) padded() {
	if right {
		fill := slices.Repeat([]int{pad}, more)
	} else {
		fill := make([]int, more)
	}
}

// padding-in-ids-only: the targets are filled up with the token 0
//
// Why: Rows of targets are filled up as those of the ids.
//
// Hint: Fill both up with pad.
func (Example) padded() {
	if right {
		return Example{IDs: slices.Concat(e.IDs, fill), Targets: slices.Concat(e.Targets, fill),
			Counted: slices.Concat(e.Counted, make([]bool, more))}
	} else {
		return Example{IDs: slices.Concat(e.IDs, fill), Targets: slices.Concat(e.Targets, make([]int, more)),
			Counted: slices.Concat(e.Counted, make([]bool, more))}
	}
}

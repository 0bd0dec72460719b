//go:build mistake

package seq2seq

// not-shifted-right: the decoder reads the tokens that it is to answer
//
// Why: It copies what it reads: nearly every token is right in training, and it writes nonsense.
//
// Hint: inputs: Begin, then the target.
func Teach() {
	if right {
		input[0] = Begin
		copy(input[1:], target)
	} else {
		copy(input, target)
		input[len(target)] = End
	}
}

// label-everywhere: every token has a label, not only those that are chosen
//
// Why: Most tokens are seen by the encoder: to repeat them teaches nothing.
//
// Hint: Ignored where a token is not chosen.
func Corrupt() {
	if right {
		input[t], label[t] = id, Ignored
	} else {
		input[t], label[t] = id, id
		if id == Pad {
			label[t] = Ignored
		}
	}
}

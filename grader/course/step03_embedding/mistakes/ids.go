//go:build mistake

package embedding

// last-id-allowed: the check lets an id through that is equal to the vocabulary's size
//
// Why: V ids begin at 0, so the largest is V − 1.
//
// Hint: Refuse an id if id < 0 or id >= V.
func (*Embedding) check() {
	if right {
		if id < 0 || id >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
				Got: id, Limit: vocab}
		}
	} else {
		if id < 0 || id > vocab {
			return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
				Got: id, Limit: vocab}
		}
	}
}

// negative-ids-unchecked: negative ids are not refused
//
// Why: −1 is what many programs write for a missing token, and it must not end as a crash without
// a name.
//
// Hint: Refuse an id if id < 0 or id >= V.
func (*Embedding) check() {
	if right {
		if id < 0 || id >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
				Got: id, Limit: vocab}
		}
	} else {
		if id >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
				Got: id, Limit: vocab}
		}
	}
}

// bad-ids-replaced: ids outside the vocabulary are replaced by 0 instead of refused
//
// Why: A wrong id means that the tokenizer and the model do not belong together. A model that goes
// on trains on noise.
//
// Hint: Return a tensor.IndexError with the place in Op.
func (*Embedding) check() {
	if right {
		return tensor.IndexError{Op: fmt.Sprintf("Embedding.Forward: ids[%d][%d]", b, t),
			Got: id, Limit: vocab}
	} else {
		row[t] = 0
	}
}

// ids-kept: the ids of the call before are still in the layer's list
//
// Why: A layer is called once for every batch. What it keeps for Backward belongs to the last call
// alone.
//
// Hint: Begin Forward with an empty list: e.ids = e.ids[:0].
func (*Embedding) Forward() {
	if right {
		e.ids = e.ids[:0]
	} else {
	}
}

//go:build mistake

package lora

// examples-see-each-other: an example attends to those before it in the row
//
// Why: It would learn to answer with the help of other answers. New positions do not help: attention reads the tokens all the same.
//
// Hint: Attend from the first position of the same example on.
func Pack() {
	if right {
		for j := from; j <= i; j++ {
			attend[i*length+j] = true
		}
	} else {
		for j := 0; j <= i; j++ {
			attend[i*length+j] = true
		}
	}
}

// not-causal: an example attends to what comes after
//
// Why: The answer would be read before it is predicted.
//
// Hint: j ≤ i.
func Pack() {
	if right {
		for j := from; j <= i; j++ {
			attend[i*length+j] = true
		}
	} else {
		for j := from; j < len(packed.IDs); j++ {
			attend[i*length+j] = true
		}
	}
}

// self-excluded: a position does not attend to itself
//
// Why: The first of an example would attend to nothing.
//
// Hint: j ≤ i, with the equals sign.
func Pack() {
	if right {
		for j := from; j <= i; j++ {
			attend[i*length+j] = true
		}
	} else {
		for j := from; j < i; j++ {
			attend[i*length+j] = true
		}
	}
}

// one-token-too-many: an example attends to the last token of the one before
//
// Why: It begins at from.
//
// Hint: from ≤ j.
func Pack() {
	if right {
		for j := from; j <= i; j++ {
			attend[i*length+j] = true
		}
	} else {
		for j := max(0, from-1); j <= i; j++ {
			attend[i*length+j] = true
		}
	}
}

// mask-transposed: queries and keys are exchanged in the mask
//
// Why: attend[i·T + j] is for query i and key j.
//
// Hint: The row is the query.
func Pack() {
	if right {
		for j := from; j <= i; j++ {
			attend[i*length+j] = true
		}
	} else {
		for j := from; j <= i; j++ {
			attend[j*length+i] = true
		}
	}
}

// padding-sees-nothing: a position of the padding attends to nothing
//
// Why: Its softmax has nothing to sum: 0/0, and NaN goes through the layers.
//
// Hint: Let it attend to itself.
func Pack() {
	if right {
		for i := len(packed.IDs); i < length; i++ {
			attend[i*length+i] = true
		}
	} else {
	}
}

// padding-is-a-text: the padding is treated as one more text
//
// Why: Each position of it is to attend to itself alone.
//
// Hint: Only j = i.
func Pack() {
	if right {
		for i := len(packed.IDs); i < length; i++ {
			attend[i*length+i] = true
		}
	} else {
		for i := len(packed.IDs); i < length; i++ {
			for j := len(packed.IDs); j <= i; j++ {
				attend[i*length+j] = true
			}
		}
	}
}

// padding-sees-all: the padding attends to everything before it
//
// Why: It is harmless and costs time; here it attends to itself alone.
//
// Hint: Only j = i.
func Pack() {
	if right {
		for i := len(packed.IDs); i < length; i++ {
			attend[i*length+i] = true
		}
	} else {
		for i := len(packed.IDs); i < length; i++ {
			for j := range i + 1 {
				attend[i*length+j] = true
			}
		}
	}
}

// mask-of-own-width: the rows of the mask are as wide as the examples and not as the row
//
// Why: attend is (T, T) with the T of the packed row.
//
// Hint: i·T + j.
func Pack() {
	if right {
		for j := from; j <= i; j++ {
			attend[i*length+j] = true
		}
	} else {
		for j := from; j <= i; j++ {
			attend[i*len(packed.IDs)+j] = true
		}
	}
}

// counted-again: of the examples behind the first everything counts
//
// Why: What counts goes along with its example.
//
// Hint: Append Counted as IDs and Targets.
func Pack() {
	if right {
		packed.Counted = append(packed.Counted, e.Counted...)
	} else {
		for t := range e.Counted {
			packed.Counted = append(packed.Counted, from > 0 || e.Counted[t])
		}
	}
}

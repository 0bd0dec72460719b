//go:build mistake

package lm

// state-kept-by-reference: LoadState makes parameters point to the state dictionary's arrays
// instead of copying them
//
// Why: q, k and v are three parts of one matrix. A part that is pointed elsewhere leaves the
// matrix as it was.
//
// Hint: copy(p.Value.Data, …).
func (*LM) LoadState() {
	if right {
		copy(p.Value.Data, state[p.Name].Data)
	} else {
		p.Value.Data = state[p.Name].Data
	}
}

// state-missing-accepted: LoadState accepts a state dictionary from which an entry is missing
//
// Why: A layer that keeps its random weights does not crash: it answers nonsense.
//
// Hint: Name every entry that is missing in the error, and change nothing.
func (*LM) LoadState() {
	if right {
		if t := state[p.Name]; t == nil {
			wrong = append(wrong, p.Name+" is missing")
		} else if !t.SameShape(p.Value) {
			wrong = append(wrong, fmt.Sprintf("%s has shape %s, want %s",
				p.Name, tensor.ShapeString(t.Shape), tensor.ShapeString(p.Value.Shape)))
		}
	} else {
		if t := state[p.Name]; t != nil && !t.SameShape(p.Value) {
			wrong = append(wrong, fmt.Sprintf("%s has shape %s, want %s",
				p.Name, tensor.ShapeString(t.Shape), tensor.ShapeString(p.Value.Shape)))
		}
	}
	if right {
		copy(p.Value.Data, state[p.Name].Data)
	} else {
		if t := state[p.Name]; t != nil {
			copy(p.Value.Data, t.Data)
		}
	}
}

// state-unknown-accepted: LoadState accepts entries that do not belong to the model
//
// Why: An entry under a name that nobody asks for is most often one under a wrong name.
//
// Hint: Name every entry that does not belong to the model in the error.
func (*LM) LoadState() {
	if right {
		wrong = append(wrong, name+" does not belong to this model")
	} else {
		continue
	}
}

// state-shape-unchecked: LoadState does not compare shapes
//
// Why: copy stops at the shorter of two arrays, so a matrix of another shape fills a part of the
// parameter.
//
// Hint: Compare shapes before anything is copied.
func (*LM) LoadState() {
	if right {
		if t := state[p.Name]; t == nil {
			wrong = append(wrong, p.Name+" is missing")
		} else if !t.SameShape(p.Value) {
			wrong = append(wrong, fmt.Sprintf("%s has shape %s, want %s",
				p.Name, tensor.ShapeString(t.Shape), tensor.ShapeString(p.Value.Shape)))
		}
	} else {
		if t := state[p.Name]; t == nil {
			wrong = append(wrong, p.Name+" is missing")
		} else if false {
			wrong = append(wrong, fmt.Sprintf("%s has shape %s, want %s",
				p.Name, tensor.ShapeString(t.Shape), tensor.ShapeString(p.Value.Shape)))
		}
	}
}

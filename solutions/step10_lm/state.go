package lm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/reference/tensor"
)

// LoadState copies a state dictionary, every parameter under its name, into the
// model. Its error names every entry that is missing, does not belong to the
// model or has the wrong shape, and then nothing has changed.
func (m *LM) LoadState(state map[string]*tensor.Tensor) error {
	params := m.Params()
	known := map[string]bool{}
	var wrong []string
	for _, p := range params {
		known[p.Name] = true
		if t := state[p.Name]; t == nil {
			wrong = append(wrong, p.Name+" is missing")
		} else if !t.SameShape(p.Value) {
			wrong = append(wrong, fmt.Sprintf("%s has shape %s, want %s",
				p.Name, tensor.ShapeString(t.Shape), tensor.ShapeString(p.Value.Shape)))
		}
	}
	for name := range state {
		if !known[name] {
			wrong = append(wrong, name+" does not belong to this model")
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong) // a map has no order
		return fmt.Errorf("the state dictionary does not fit: %s", strings.Join(wrong, "; "))
	}
	for _, p := range params {
		copy(p.Value.Data, state[p.Name].Data)
	}
	return nil
}

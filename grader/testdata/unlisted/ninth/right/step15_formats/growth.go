//go:build unlisted

package formats

// master-copies-its-weights: every update works with a new copy of all weights
//
// Why: no contract says where the weights lie between two updates. An update of a large model needs twice the memory.
func (*Master) Update() {
	if right {
		factor := 1.0
	} else {
		m.Value = append([]float32(nil), m.Value...)
		factor := 1.0
	}
}

//go:build mistake

package lora

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step11_training"
)

// alpha-lost: the scale α is lost when an adapter is loaded
//
// Why: The same two matrices with another factor are another adapter.
//
// Hint: Load sets Alpha from the state.
func Load() {
	if right {
		l.Alpha = float64(state[name+".alpha"].Data[0])
	} else {
	}
}

// factor-saved: the factor α/r is saved in the place of α
//
// Why: It is divided by r once more when the adapter is used.
//
// Hint: Save Alpha.
func State() {
	if right {
		state[name+".alpha"] = tensor.From([]float32{float32(l.Alpha)}, 1)
	} else {
		state[name+".alpha"] = tensor.From([]float32{l.scale()}, 1)
	}
}

// alpha-one-for-all: all layers get the α of one
//
// Why: Each layer has an α of its own, by its name.
//
// Hint: Read NAME.alpha for each.
func Load() {
	if right {
		l.Alpha = float64(state[name+".alpha"].Data[0])
	} else {
		for _, other := range slices.Sorted(maps.Keys(layers)) {
			l.Alpha = float64(state[other+".alpha"].Data[0])
		}
	}
}

// factor-doubled-by-loading: loading multiplies α by the rank
//
// Why: α is saved as it is.
//
// Hint: Read NAME.alpha and nothing more.
func Load() {
	if right {
		l.Alpha = float64(state[name+".alpha"].Data[0])
	} else {
		l.Alpha = float64(state[name+".alpha"].Data[0]) * float64(l.A.Value.Dim(0))
	}
}

// state-not-copied: what is saved is the parameters themselves
//
// Why: Training goes on and changes them; the state is to be what they were.
//
// Hint: Clone the values.
func State() {
	if right {
		state[name+".lora_A"] = l.A.Value.Clone()
	} else {
		state[name+".lora_A"] = l.A.Value
	}
}

func State() {
	if right {
		state[name+".lora_B"] = l.B.Value.Clone()
	} else {
		state[name+".lora_B"] = l.B.Value
	}
}

// state-not-copied/load: what is loaded is the tensors of the state themselves
func replace() {
	if right {
		p.Value, p.Grad = value.Clone(), tensor.New(value.Shape...)
	} else {
		p.Value, p.Grad = value, tensor.New(value.Shape...)
	}
}

// loaded-into-merged: loading leaves the old adapter in a merged weight
//
// Why: The layer would have two adapters, of which one cannot be taken out any more.
//
// Hint: Unmerge first.
func Load() {
	if right {
		l.Unmerge()
	} else {
	}
}

// weight-saved-too: W₀ is saved with the adapter
//
// Why: Adapters are some kilobytes because the weight is not among them.
//
// Hint: Save A, B and α.
func State() {
	if right {
		state[name+".alpha"] = tensor.From([]float32{float32(l.Alpha)}, 1)
	} else {
		state[name+".alpha"] = tensor.From([]float32{float32(l.Alpha)}, 1)
		state[name+".weight"] = l.Weight.Value.Clone()
	}
}

func Load() {
	if right {
		if len(state) > 3*len(layers) {
			return fmt.Errorf("lora.Load: %s belongs to no layer", surplus(layers, state))
		}
	} else {
		if len(state) > 4*len(layers) {
			return fmt.Errorf("lora.Load: %s belongs to no layer", surplus(layers, state))
		}
	}
}

// half-loaded: layers are changed before everything has been looked at
//
// Why: After an error half of the model would have another adapter than the rest.
//
// Hint: Look at all layers first, and change them then.
func Load() {
	if right {
		for _, name := range slices.Sorted(maps.Keys(layers)) {
			if err := fits(layers[name], name, state); err != nil {
				return err
			}
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(layers)) {
			l := layers[name]
			if err := fits(l, name, state); err != nil {
				return err
			}
			l.Unmerge()
			replace(l.A, state[name+".lora_A"])
			replace(l.B, state[name+".lora_B"])
		}
	}
}

// surplus-ignored: tensors that belong to no layer are ignored
//
// Why: An adapter for another model, or a name that has been misspelt, would be loaded in part.
//
// Hint: Refuse a state with a name that no layer has.
func Load() {
	if right {
		if len(state) > 3*len(layers) {
			return fmt.Errorf("lora.Load: %s belongs to no layer", surplus(layers, state))
		}
	} else {
	}
}

// missing-ignored: layers for which the state has nothing are passed over
//
// Why: They would keep an old adapter without anybody noticing.
//
// Hint: Refuse a state in which a tensor is missing.
func fits() {
	if right {
		for _, part := range []string{".lora_A", ".lora_B", ".alpha"} {
			if state[name+part] == nil {
				return fmt.Errorf("lora.Load: there is no %s", name+part)
			}
		}
	} else {
		for _, part := range []string{".lora_A", ".lora_B", ".alpha"} {
			if state[name+part] == nil {
				return nil
			}
		}
	}
}

func Load() {
	if right {
		l.Unmerge()
		replace(l.A, state[name+".lora_A"])
		replace(l.B, state[name+".lora_B"])
		l.Alpha = float64(state[name+".alpha"].Data[0])
	} else {
		if state[name+".lora_A"] == nil || state[name+".lora_B"] == nil || state[name+".alpha"] == nil {
			continue
		}
		l.Unmerge()
		replace(l.A, state[name+".lora_A"])
		replace(l.B, state[name+".lora_B"])
		l.Alpha = float64(state[name+".alpha"].Data[0])
	}
}

// rank-kept: numbers are copied into the matrices that the layer has
//
// Why: An adapter of another rank has other matrices.
//
// Hint: Give the parameters new tensors, values and gradients.
func replace() {
	if right {
		p.Value, p.Grad = value.Clone(), tensor.New(value.Shape...)
	} else {
		copy(p.Value.Data, value.Data)
	}
}

// gradients-kept: loading leaves the old gradients
//
// Why: They have the shape of the old rank.
//
// Hint: Give the parameters new gradients too.
func replace() {
	if right {
		p.Value, p.Grad = value.Clone(), tensor.New(value.Shape...)
	} else {
		p.Value = value.Clone()
	}
}

// weight-in-optimizer: the optimiser has W₀ too
//
// Why: Their gradient is 0, but weight decay shrinks them with every update, and two means for each of their numbers fill the memory.
//
// Hint: Give the optimiser what Params returns.
func Optimizer() {
	if right {
		params = append(params, l.Params()...)
	} else {
		params = append(append(params, l.Params()...), l.Weight)
	}
}

// weight-in-optimizer/first: W₀ stands first in the optimiser
func Optimizer() {
	if right {
		params = append(params, l.Params()...)
	} else {
		params = append(append(params, l.Weight), l.Params()...)
	}
}

// first-layer-only: the optimiser has the adapter of one layer only
//
// Why: The others stay as they were drawn.
//
// Hint: Gather the parameters of all layers.
func Optimizer() {
	if right {
		params = append(params, l.Params()...)
	} else {
		params = l.Params()
	}
}

// only-b-trained: the optimiser has the Bs only
//
// Why: A is trained as well.
//
// Hint: Gather A and B.
func Optimizer() {
	if right {
		params = append(params, l.Params()...)
	} else {
		params = append(params, l.B)
	}
}

// settings-exchanged: the settings ε and weight decay are exchanged
//
// Why: NewAdamW takes β1, β2, ε and then the decay.
//
// Hint: Pass them on in their order.
func Optimizer() {
	if right {
		return training.NewAdamW(params, beta1, beta2, eps, weightDecay)
	} else {
		return training.NewAdamW(params, beta1, beta2, weightDecay, eps)
	}
}

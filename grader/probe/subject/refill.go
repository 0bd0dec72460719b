package subject

import (
	"maps"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// place is where a caller puts the inputs of one name and shape for a layer that
// stays.
type place struct {
	layer int
	name  string
	shape string
}

// input is a tensor that a layer has been given.
type input struct {
	tensor *tensor.Tensor
	twice  bool // it was filled again
}

// refill puts every second input that a layer is given into the tensor of the one
// before, as a training loop does, and the others into tensors of their own. Whoever
// recognises an input by its tensor, or keeps that instead of the numbers, is found out
// by the first kind, and whoever trusts a tensor to change with its input by the second.
// Parameters are left out: a layer holds those that it was made with.
func (h *Host) refill(in wire.Values) {
	if _, kept := in[instance]; !kept {
		return
	}
	layer := Args{in, h}.layer()
	for name, v := range in {
		if v.DType != wire.F32 || len(v.F32) == 0 || h.parameters[name] {
			continue
		}
		at := place{layer, name, tensor.ShapeString(v.Shape)}
		last, ok := h.inputs[at]
		if !ok || last.twice {
			last = input{tensor: tensor.From(slices.Clone(v.F32), v.Shape...)}
		} else {
			copy(last.tensor.Data, v.F32)
			last.twice = true
		}
		h.inputs[at] = last
		v.F32 = last.tensor.Data
		in[name] = v
	}
}

// inputOf returns the tensor of an input of a layer that stays, or nil for any other.
func (a Args) inputOf(name string, v wire.Value) *tensor.Tensor {
	last := a.host.inputs[place{a.layer(), name, tensor.ShapeString(v.Shape)}].tensor
	if last == nil || !shares(last.Data, v.F32) {
		return nil
	}
	return last
}

// forget drops the inputs of a layer that no longer stays.
func (h *Host) forget(layer int) {
	maps.DeleteFunc(h.inputs, func(p place, _ input) bool { return p.layer == layer })
}

//go:build !stubformer_probe

package subject_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// recognising keeps what it computed for a tensor, and takes numbers that it has not
// looked at for those.
type recognising struct {
	x *tensor.Tensor
	y float32
}

func (l *recognising) forward(x *tensor.Tensor) float32 {
	if x != l.x {
		l.x, l.y = x, x.Data[0]
	}
	return l.y
}

// Every second input of a layer that stays is the tensor of the one before, with other
// numbers; the grader's own numbers stay what they are.
func TestRefilled(t *testing.T) {
	var given []*tensor.Tensor
	host := subject.NewHost(subject.Functions{"f": func(in subject.Args) (wire.Values, error) {
		l := subject.Kept(in, func() *recognising { return &recognising{} }, subject.NoParams, nil)
		x := in.Tensor("x")
		given = append(given, x)
		return wire.Values{"y": wire.Float32s([]float32{l.forward(x)}, 1)}, nil
	}})
	call := func(instance int64, numbers ...float32) float32 {
		in := wire.Values{"instance": wire.Int(int(instance)), "x": wire.Float32s(numbers, len(numbers))}
		out, err := host.Call(t.Context(), "f", in)
		require.NoError(t, err)
		require.Equal(t, numbers, in["x"].F32)
		return out["y"].F32[0]
	}
	first := []float32{1, 2}
	require.EqualValues(t, 1, call(1, first...))
	require.EqualValues(t, 1, call(1, 3, 4), "a layer that recognises its input by the tensor is found out")
	require.EqualValues(t, 5, call(1, 5, 6))
	require.Equal(t, []float32{1, 2}, first)
	call(1, 7, 8)
	call(2, 9, 9)
	call(1, 1)
	require.Same(t, given[0], given[1])
	require.NotSame(t, given[1], given[2])
	require.Same(t, given[2], given[3])
	require.Equal(t, []float32{7, 8}, given[3].Data)
	for _, x := range given[:4] {
		require.NotSame(t, x, given[4], "another layer's")
		require.NotSame(t, x, given[5], "of another shape")
	}
}

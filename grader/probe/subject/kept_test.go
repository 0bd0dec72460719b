//go:build !stubformer_probe

package subject_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// The owner of parameters puts other tensors into them now and then; the layer finds in
// them what the call gives.
func TestAnew(t *testing.T) {
	var held []*tensor.Tensor // every tensor that the parameter has held
	host := subject.NewHost(subject.Functions{"f": func(in subject.Args) (wire.Values, error) {
		p := subject.Kept(in, func() *tensor.Param { return in.Param("w") },
			func(p *tensor.Param) []*tensor.Param { return in.Anew(p) }, []string{"w"})
		if !slices.Contains(held, p.Value) {
			held = append(held, p.Value)
		}
		return wire.Values{"w": wire.Tensor(p.Value), "dw": wire.Tensor(p.Grad)}, nil
	}})
	for i := range 12 {
		w := wire.Float32s([]float32{float32(i)}, 1)
		out, err := host.Call(t.Context(), "f", wire.Values{"w": w, "dw_before": w, "instance": wire.Int(1)})
		require.NoError(t, err)
		require.Equal(t, w, out["w"])
		require.Equal(t, w, out["dw"])
	}
	require.Len(t, held, 3)
}

// Numbers are drawn on one processor and on four in turn, and afterwards there are as
// many as before.
func TestDraws(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	var procs []int
	host := subject.NewHost(subject.Functions{"f": func(in subject.Args) (wire.Values, error) {
		in.Draws(func() { procs = append(procs, runtime.GOMAXPROCS(0)) })
		return nil, nil
	}})
	for range 4 {
		_, err := host.Call(t.Context(), "f", nil)
		require.NoError(t, err)
	}
	require.Equal(t, []int{1, 4, 1, 4}, procs)
	require.Equal(t, before, runtime.GOMAXPROCS(0))
}

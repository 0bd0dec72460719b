//go:build !stubformer_probe

package subject_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// What a layer has returned stays as it is until it returns another.
func TestChangedLater(t *testing.T) {
	shared := tensor.New(2)
	host := subject.NewHost(subject.Functions{"forward": func(in subject.Args) (wire.Values, error) {
		shared.Data[0]++
		in.Watch("y", shared)
		return nil, nil
	}, "backward": func(subject.Args) (wire.Values, error) { shared.Data[1]++; return nil, nil }})
	ask := func(function string, layer int) error {
		_, err := host.Call(t.Context(), function, wire.Values{"instance": wire.Int(layer)})
		return err
	}
	require.NoError(t, ask("forward", 1))
	require.NoError(t, ask("forward", 1), "a new y takes the place of the old one")
	require.ErrorContains(t, ask("backward", 1), "The call changed y, which an earlier call has returned and which must stay as it is until the layer returns the next one; the first change is at [1].")
	require.NoError(t, ask("forward", 1))
	require.ErrorContains(t, ask("forward", 2), "The call changed y of another layer, first at [0].")
}

// A call that changes two results of earlier calls is told one; the other is not blamed on
// the next call.
func TestTwoChangedLater(t *testing.T) {
	dq, dk := tensor.New(2), tensor.New(2)
	host := subject.NewHost(subject.Functions{"backward": func(in subject.Args) (wire.Values, error) {
		in.Watch("dq", dq)
		in.Watch("dk", dk)
		return nil, nil
	}, "forward": func(subject.Args) (wire.Values, error) { dq.Data[0]++; dk.Data[0]++; return nil, nil },
		"another": func(subject.Args) (wire.Values, error) { return nil, nil }})
	ask := func(function string, layer int) error {
		_, err := host.Call(t.Context(), function, wire.Values{"instance": wire.Int(layer)})
		return err
	}
	require.NoError(t, ask("backward", 1))
	require.ErrorContains(t, ask("forward", 1), "The call changed dk, which an earlier call has returned")
	require.NoError(t, ask("another", 2), "it changed nothing")
}

//go:build !stubformer_probe

package subject_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// A contract can be broken in ways that no result shows.
func TestBroken(t *testing.T) {
	kept := tensor.New(2, 3)
	fresh := func(dst *tensor.Tensor) *tensor.Tensor { return tensor.Reuse(dst, 2, 3) }
	for _, c := range []struct {
		name    string
		f       func(in subject.Args)
		message string
	}{
		{"a new result, and dst where it is given", func(in subject.Args) {
			in.Into("y", func(dst *tensor.Tensor) *tensor.Tensor { y := fresh(dst); y.Zero(); return y })
		}, ""},
		{"one memory for all calls", func(in subject.Args) {
			in.Into("y", func(dst *tensor.Tensor) *tensor.Tensor {
				if dst == nil {
					dst = kept
				}
				return dst
			})
		}, "y must be new in every call"},
		{"a dst that is not used", func(in subject.Args) { in.Into("y", func(*tensor.Tensor) *tensor.Tensor { return fresh(nil) }) }, "y must be dst itself"},
		{"the same booleans", func(in subject.Args) { all := []bool{true}; in.NewBools("mask", all, all) }, "mask must be new in every call"},
		{"an error that is a panic", func(in subject.Args) {
			in.Returned(func() { panic(tensor.IndexError{Op: "ids[0][1]", Got: 3, Limit: 2}) })
		},
			"The error must be returned; the call panicked with it: ids[0][1]"},
		{"a rule in words", func(in subject.Args) { panic(subject.Broken("row %d was not read", 2)) }, "the call broke its contract: row 2 was not read"},
		{"a crash", func(in subject.Args) { in.Returned(func() { panic("broken pipe") }) }, "panic: broken pipe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := call(t, func(in subject.Args) (wire.Values, error) { c.f(in); return nil, nil })
			if c.message == "" {
				require.NoError(t, err)
				return
			}
			f, ok := errors.AsType[*verdict.Failure](err)
			require.True(t, ok)
			require.Contains(t, f.Message.String(), c.message)
			require.False(t, f.Refused)
		})
	}
}

// A dst keeps nothing of what it was: a result that differs there is the one that
// counts. Rows of other lengths hold the numbers of the array.
func TestIntoAndRows(t *testing.T) {
	_, err := call(t, func(in subject.Args) (wire.Values, error) {
		y := in.Into("y", func(dst *tensor.Tensor) *tensor.Tensor {
			if dst == nil {
				dst = tensor.New(2)
			}
			return dst
		})
		require.Equal(t, []int{3, 2}, y.Shape)
		require.Equal(t, [][]int{{3, 1}, {2, 0}, {5, 4}}, in.Rows("ids"))
		return nil, nil
	})
	require.NoError(t, err)
	host := subject.NewHost(subject.Functions{"f": func(in subject.Args) (wire.Values, error) {
		require.Equal(t, [][]int{{3}, {}, {1, 2}}, in.Rows("ids"))
		return nil, nil
	}})
	_, err = host.Call(t.Context(), "f", wire.Values{"ids": wire.Ints([]int64{3, 1, 2}, 1, 3), "ids_lengths": wire.Ints([]int64{1, 0, 2}, 3)})
	require.NoError(t, err)
}

package course_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// wrongly answers as the oracle does, but for what spoil does to the answer. It keeps a
// layer's input for its Backward.
type wrongly struct {
	spoil func(function string, in, out wire.Values) wire.Values
	kept  map[int64]wire.Values
}

func (w *wrongly) Call(_ context.Context, function string, in wire.Values) (wire.Values, error) {
	in, asked := maps.Clone(in), in
	if number, ok := in["instance"]; ok {
		delete(in, "instance")
		if w.kept == nil {
			w.kept = map[int64]wire.Values{}
		}
		all := wire.Values{}
		maps.Copy(all, w.kept[number.I64[0]])
		maps.Copy(all, in)
		w.kept[number.I64[0]], in = all, maps.Clone(all)
		if function == "linear.forward" {
			delete(in, "dy")
			delete(in, "dw_before")
		}
	}
	out, err := course.Truth(function, in)
	if err != nil {
		return nil, &verdict.Failure{Kind: verdict.Panic}
	}
	if number, ok := asked["instance"]; ok {
		in["instance"] = number
	}
	return w.spoil(function, in, out), nil
}

// said is the diagnosis of a check whose subject is spoilt.
func said(t *testing.T, step, check string, spoil func(function string, in, out wire.Values) wire.Values) string {
	t.Helper()
	if _, err := course.Truth("softmax.forward", wire.Values{"x": wire.Float32s([]float32{1, 0}, 2), "axis": wire.Int(0)}); errors.Is(err, course.ErrKeptBack) {
		t.Skip(err)
	}
	s, err := course.Find(registry.Steps(), step)
	require.NoError(t, err)
	set, err := fixtures.Load()
	require.NoError(t, err)
	e := &course.Exam{Step: s, Subject: &wrongly{spoil: spoil}, Fixtures: set, Seed: 1}
	for _, c := range s.Checks {
		if c.ID == check {
			err = e.Run(t.Context(), c)
		}
	}
	f, ok := errors.AsType[*verdict.Failure](err)
	require.True(t, ok, "%v", err)
	return f.Diagnosis.Text.String()
}

// squared is noise that no structure explains.
func squared(v wire.Value) wire.Value {
	x := verdict.Numbers(v)
	for i := range x {
		x[i] = x[i]*x[i] + float64(i%3)*0.1
	}
	return wire.Floats(x, v.Shape...)
}

// TestToldApart spoils the answers to some calls, and reads what they have in common.
func TestToldApart(t *testing.T) {
	where := func(wrong func(in wire.Values) bool) func(string, wire.Values, wire.Values) wire.Values {
		return func(_ string, in, out wire.Values) wire.Values {
			if wrong(in) {
				out["y"] = squared(out["y"])
			}
			return out
		}
	}
	axis := func(in wire.Values) int64 { return in["axis"].I64[0] }
	length := func(in wire.Values) int { return in["x"].Shape[len(in["x"].Shape)-2] }
	for name, c := range map[string]struct {
		step, check string
		wrong       func(in wire.Values) bool
		want        string
	}{
		"an axis, fresh":       {"step07", "softmax.forward.fresh", func(in wire.Values) bool { return axis(in) == -3 }, "It is wrong only where axis is -3, and right where it is -2, -1, 0, 1 or 2."},
		"one token, stored":    {"step06", "rope.forward", func(in wire.Values) bool { return length(in) == 1 }, "It is wrong only where T is 1, and right where it is "},
		"two numbers at once":  {"step07", "softmax.forward.fresh", func(in wire.Values) bool { return in["x"].F32[0] > 1 }, ""},
		"everything is wrong":  {"step07", "softmax.forward.fresh", func(wire.Values) bool { return true }, ""},
		"numbers, and no size": {"step06", "rope.forward", func(in wire.Values) bool { return in["x"].F32[0] > 0 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := said(t, c.step, c.check, where(c.wrong))
			if c.want == "" {
				require.NotContains(t, text, "So it is in")
				return
			}
			require.Contains(t, text, c.want)
			require.Regexp(t, `So it is in \d+ calls, of which \d+ are wrong\.$`, text)
		})
	}
}

// TestAskedTwice has a second answer to the same call, of which that is said and nothing
// of its structure.
func TestAskedTwice(t *testing.T) {
	calls := 0
	text := said(t, "step07", "softmax.forward", func(_ string, _, out wire.Values) wire.Values {
		calls++
		x := verdict.Numbers(out["y"])
		for i := range x {
			x[i] *= float64(1 + calls)
		}
		out["y"] = wire.Floats(x, out["y"].Shape...)
		return out
	})
	require.Regexp(t, `^Asked the very same again, it gives another y: y\[0, 0, 0\] is [\d.]+, and before it was [\d.]+\. Something is kept`, text)
}

// TestLeftOver has a layer that keeps its first weight, one that keeps its first shape,
// and one whose Backward spoils what it needs itself.
func TestLeftOver(t *testing.T) {
	var first wire.Value
	text := said(t, "step02", "linear.backward.again", func(function string, in, out wire.Values) wire.Values {
		if function == "linear.forward" && first.DType == "" {
			first = in["w"]
		}
		if function == "linear.forward" && len(first.Shape) > 0 && first.Shape[0] == in["w"].Shape[0] && first.Shape[1] == in["w"].Shape[1] {
			in = course.With(in, "w", first)
			delete(in, "instance")
			out, _ = course.Truth(function, in)
		}
		return out
	})
	require.Equal(t, "This is what is right with the w of an earlier call.", text)

	shapes := map[int64][]int{}
	text = said(t, "step02", "linear.backward.again", func(function string, in, out wire.Values) wire.Values {
		if layer := in["instance"]; function == "linear.forward" && layer.DType != "" {
			shape, ok := shapes[layer.I64[0]]
			if !ok {
				shape = out["y"].Shape
				shapes[layer.I64[0]] = shape
			}
			if !slices.Equal(shape, out["y"].Shape) {
				out["y"] = wire.Floats(make([]float64, wire.Value{Shape: shape}.Len()), shape...)
			}
		}
		return out
	})
	require.Contains(t, text, "It has the shape that was right in an earlier call: (")

	last := map[string]string{} // by layer
	text = said(t, "step02", "linear.backward.again", func(function string, in, out wire.Values) wire.Values {
		layer := fmt.Sprint(in["instance"].I64)
		if function == last[layer] && function == "linear.backward" {
			out["dx"] = squared(out["dx"])
		}
		last[layer] = function
		return out
	})
	require.Contains(t, text, "The very same call was answered rightly just before")
}

// crashing is a subject whose calls end with an error of its own after they have changed
// something.
type crashing struct{}

func (crashing) Call(context.Context, string, wire.Values) (wire.Values, error) {
	refusal := &verdict.Failure{Kind: verdict.Panic, Refused: true, Message: lang.T("a shape does not fit")}
	return nil, &verdict.Failure{Kind: verdict.InputChanged, Message: lang.T("it changed dx"), Refusal: refusal}
}

// Where the input is valid, what ended the call is said first; where it is not, the call
// was to change nothing.
func TestWhatEndedACallIsSaidFirst(t *testing.T) {
	e := &course.Exam{Step: &course.Step{}, Subject: crashing{}}
	var f *verdict.Failure
	_, err := e.Ask("linear.backward", nil)
	require.ErrorAs(t, err, &f)
	require.Equal(t, verdict.Panic, f.Kind)
	require.Equal(t, "the input is valid, but the call ended with an error: a shape does not fit\nit changed dx", f.Message.String())
	_, err = e.Call("linear.backward", nil)
	require.ErrorAs(t, err, &f)
	require.Equal(t, verdict.InputChanged, f.Kind)
}

//go:build !stubformer_probe

package subject_test

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

func arguments() wire.Values {
	return wire.Values{
		"w": wire.Float32s([]float32{1, 2, 3, 4, 5, 6}, 2, 3), "dw_before": wire.Float32s([]float32{6, 5, 4, 3, 2, 1}, 2, 3),
		"g": wire.Float32s([]float32{1, 2}, 2), "ids": wire.Ints([]int64{3, 1, 2, 0, 5, 4}, 3, 2), "none": wire.Ints([]int64{}, 0, 4),
		"eps": wire.Float(1e-5), "n": wire.Int(-7), "fs": wire.Floats([]float64{1, 2}, 2), "name": wire.String("weight"),
		"mask": wire.Bools([]bool{true, false}, 1, 2), "prompt": wire.Ints([]int64{9, 8}, 2), "v": wire.Float32s([]float32{1}, 1), "dv_before": wire.Float32s([]float32{1, 2}, 2), "one": wire.Ints([]int64{1}, 1),
	}
}

// call runs f as a function of a step, on arguments().
func call(t *testing.T, f subject.Function) (wire.Values, error) {
	return subject.NewHost(subject.Functions{"f": f}).Call(t.Context(), "f", arguments())
}

func TestArguments(t *testing.T) {
	_, err := call(t, func(in subject.Args) (wire.Values, error) {
		require.Equal(t, []string{"dv_before", "dw_before", "eps", "fs", "g", "ids", "mask", "n", "name", "none", "one", "prompt", "v", "w"}, in.Names())
		w := tensor.From([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
		require.Equal(t, w, in.Tensor("w"))
		require.Equal(t, &tensor.Param{Name: "w", Value: w, Grad: tensor.From([]float32{6, 5, 4, 3, 2, 1}, 2, 3)}, in.Param("w"))
		require.Equal(t, tensor.New(2), in.Param("g").Grad)
		require.Equal(t, -7, in.Int("n"))
		require.Equal(t, 1e-5, in.Float("eps"))
		require.Equal(t, []float64{1, 2}, in.Float64s("fs"))
		require.Equal(t, "weight", in.Text("name"))
		require.Equal(t, [][]int{{3, 1}, {2, 0}, {5, 4}}, in.IDs("ids"))
		require.Empty(t, in.IDs("none"))
		require.Equal(t, []int{9, 8}, in.Ints("prompt"))
		mask, shape := in.Bools("mask")
		require.Equal(t, []bool{true, false}, mask)
		require.Equal(t, []int{1, 2}, shape)
		return nil, nil
	})
	require.NoError(t, err)
}

// Asking for an argument that is not there is the grader's fault.
func TestArgumentsThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  func(in subject.Args)
		want string
	}{
		{"missing", func(in subject.Args) { in.Tensor("x") }, `there is no argument "x"`},
		{"a tensor of integers", func(in subject.Args) { in.Tensor("ids") }, `"ids" is i64; want f32`},
		{"an integer with a dimension", func(in subject.Args) { in.Int("one") }, `"one" is i64 (1); want a scalar`},
		{"an integer that is a float", func(in subject.Args) { in.Int("eps") }, `"eps" is f64; want i64`},
		{"a float that is an integer", func(in subject.Args) { in.Float("n") }, `"n" is i64; want f64`},
		{"floats of 4 bytes", func(in subject.Args) { in.Float64s("w") }, `"w" is f32; want f64`},
		{"ids in one dimension", func(in subject.Args) { in.IDs("prompt") }, `"prompt" is i64 (2); want two dimensions`},
		{"integers in two dimensions", func(in subject.Args) { in.Ints("ids") }, `"ids" is i64 (3, 2); want one dimension`},
		{"a mask of numbers", func(in subject.Args) { in.Bools("w") }, `"w" is f32; want bool`},
		{"a gradient of another shape", func(in subject.Args) { in.Param("v") }, `"v" is f32 (1), but "dv_before" is f32 (2)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := call(t, func(in subject.Args) (wire.Values, error) { c.ask(in); return nil, nil })
			var f *verdict.Failure
			require.ErrorAs(t, err, &f)
			require.Equal(t, verdict.Exited, f.Kind)
			require.Contains(t, f.Message.String(), c.want)
		})
	}
}

// In this process the rules are those of a probe. What a probe makes of each
// way to fail is tested in package probe.
func TestCallInProcess(t *testing.T) {
	shape := tensor.ShapeError{Op: "f: x", Got: []int{2}, Want: []int{3}}
	for _, c := range []struct {
		name    string
		f       subject.Function
		kind    verdict.Kind
		refused bool
	}{
		{"a panic", func(subject.Args) (wire.Values, error) { panic("at the disco") }, verdict.Panic, false},
		{"a stub", func(subject.Args) (wire.Values, error) { panic(tensor.TODO("step99: F")) }, verdict.NotImplemented, false},
		{"a wrong shape", func(subject.Args) (wire.Values, error) { panic(fmt.Errorf("f: %w", shape)) }, verdict.TurnedDown, true},
		{"a pointer to a wrong shape", func(subject.Args) (wire.Values, error) { panic(&shape) }, verdict.WrongValues, false},
		{"an error of a type of its own", func(subject.Args) (wire.Values, error) { return nil, subject.Typed(errors.New("no")) }, verdict.WrongValues, false},
		{"an error of the course's type", func(subject.Args) (wire.Values, error) { return nil, subject.Typed(fmt.Errorf("f: %w", shape)) }, verdict.TurnedDown, true},
		{"an error", func(subject.Args) (wire.Values, error) { return nil, errors.New("no") }, verdict.TurnedDown, true},
		{"a foreign error as a panic", func(subject.Args) (wire.Values, error) { panic(errors.New("no")) }, verdict.Panic, false},
		{"no tensor", func(subject.Args) (wire.Values, error) { return wire.Values{"y": wire.Tensor(nil)}, nil }, verdict.WrongShape, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := call(t, c.f)
			var f *verdict.Failure
			require.ErrorAs(t, err, &f)
			require.Equal(t, c.kind, f.Kind)
			require.Equal(t, c.refused, f.Refused)
		})
	}
	t.Run("arguments are copies", func(t *testing.T) {
		in := arguments()
		_, err := subject.NewHost(subject.Functions{"f": func(in subject.Args) (wire.Values, error) {
			in.Tensor("w").Clone().Fill(99)
			return nil, nil
		}}).Call(t.Context(), "f", in)
		require.NoError(t, err)
		require.Equal(t, arguments(), in)
	})
}

func TestTwice(t *testing.T) {
	runs := 0
	twice := func(in subject.Args) (wire.Values, error) {
		p := in.Param("w")
		in.Twice(func() { runs++; p.Grad.Data[0] += 5 }, p)
		return wire.Values{"dw": wire.Tensor(p.Grad)}, nil
	}
	out, err := call(t, twice)
	require.NoError(t, err)
	require.Equal(t, 2, runs)
	require.Equal(t, []float32{11, 5, 4, 3, 2, 1}, out["dw"].F32, "the gradient is what it held, plus one run's")
	require.NotContains(t, out, wire.Second+"y")
	out, err = call(t, func(in subject.Args) (wire.Values, error) {
		y, z := tensor.New(2), tensor.New(2)
		in.Twice(func() {
			y.Data[0]++
			z.Data[1] = 5
			in.Watch("y", y)
			in.Watch("z", z)
		})
		return wire.Values{"y": wire.Tensor(y), "z": wire.Tensor(z)}, nil
	})
	require.NoError(t, err)
	require.Contains(t, out, wire.Second+"y", "y is 1 at first, and then 2")
	require.NotContains(t, out, wire.Second+"z")
	_, err = subject.NewHost(subject.Functions{"f": twice}).Call(t.Context(), "f",
		wire.Values{"w": arguments()["w"], "instance": wire.Int(1)})
	require.NoError(t, err)
	require.Equal(t, 3, runs, "a layer that stays runs once a call")
}

// A layer that stays is the same for all calls with its number, and has what each
// gives it.
func TestKept(t *testing.T) {
	type layer struct {
		w     *tensor.Param
		calls int
	}
	host := subject.NewHost(subject.Functions{"f": func(in subject.Args) (wire.Values, error) {
		l := subject.Kept(in, func() *layer { return &layer{w: in.Param("w")} },
			func(l *layer) []*tensor.Param { return []*tensor.Param{l.w} }, []string{"w"})
		l.calls++
		l.w.Grad.Data[0]++
		return wire.Values{"calls": wire.Int(l.calls), "w": wire.Tensor(l.w.Value), "dw": wire.Tensor(l.w.Grad)}, nil
	}})
	ask := func(w float32, number ...int) (calls int64, value, grad float32) {
		in := wire.Values{"w": wire.Float32s([]float32{w}, 1), "dw_before": wire.Float32s([]float32{10 * w}, 1)}
		for _, n := range number {
			in["instance"] = wire.Int(n)
		}
		out, err := host.Call(t.Context(), "f", in)
		require.NoError(t, err)
		return out["calls"].I64[0], out["w"].F32[0], out["dw"].F32[0]
	}
	for _, c := range []struct {
		number []int
		calls  int64
	}{{[]int{1}, 1}, {[]int{1}, 2}, {[]int{2}, 1}, {nil, 1}, {[]int{1}, 3}, {[]int{2}, 2}, {nil, 1}} {
		calls, value, grad := ask(float32(c.calls), c.number...)
		require.Equal(t, c.calls, calls)
		require.Equal(t, float32(c.calls), value)
		require.Equal(t, 10*float32(c.calls)+1, grad)
	}
	for number := range 1000 { // layer 1 is asked now and then, and layer 2 is not
		ask(1, 10+number)
		if number%50 == 0 {
			ask(1, 1)
		}
	}
	calls, _, _ := ask(1, 1)
	require.Equal(t, int64(24), calls, "it is asked often enough to stay")
	calls, _, _ = ask(1, 2)
	require.Equal(t, int64(1), calls, "it was forgotten, and is made anew")
}

// What a call must not change is told before its results.
func TestChanged(t *testing.T) {
	for name, c := range map[string]struct {
		f    subject.Function
		want string
	}{
		"an input": {func(in subject.Args) (wire.Values, error) { in.Tensor("w").Data[4]++; return nil, nil }, "The call changed w, which it must leave as it is; the first change is at [1, 1]."},
		"a NaN": {func(in subject.Args) (wire.Values, error) {
			in.Tensor("w").Data[0] = float32(math.NaN())
			return nil, nil
		}, "changed w"},
		"an output": {func(in subject.Args) (wire.Values, error) {
			in.Watch("y", tensor.New(2)).Data[1] = 1
			return nil, nil
		}, "changed y, which an earlier call has returned and which must stay as it is until the layer returns the next one; the first change is at [1]."},
		"ids":                             {func(in subject.Args) (wire.Values, error) { in.IDs("ids")[1][1] = 7; return nil, nil }, "changed ids[1], which it must leave as it is; the first change is at element 1."},
		"rows behind the last":            {func(in subject.Args) (wire.Values, error) { _ = append(in.IDs("ids"), []int{1}); return nil, nil }, "changed the caller's memory behind ids"},
		"a prompt's end":                  {func(in subject.Args) (wire.Values, error) { _ = append(in.Ints("prompt"), 7); return nil, nil }, "changed the caller's memory behind prompt"},
		"ids that are the caller's again": {func(in subject.Args) (wire.Values, error) { in.Overwrite(in.IDs("ids")); return nil, nil }, ""},
		"a gradient":                      {func(in subject.Args) (wire.Values, error) { in.Param("w").Grad.Fill(1); return nil, nil }, ""},
		"a parameter":                     {func(in subject.Args) (wire.Values, error) { in.Param("w").Value.Fill(1); return nil, nil }, "changed w"},
		"a shape, by append": {func(in subject.Args) (wire.Values, error) { _ = append(in.Tensor("w").Lead(1), 7); return nil, nil },
			"The call changed the shape of w, which it must leave as it is: (2, 3) → (2, 7). A part of x.Shape"},
		"a shape, before numbers": {func(in subject.Args) (wire.Values, error) {
			w := in.Tensor("w")
			w.Shape, w.Data[0] = []int{6}, 7
			return nil, nil
		}, "the shape of w, which it must leave as it is: (2, 3) → (6)."},
		"the shape of a gradient": {func(in subject.Args) (wire.Values, error) { in.Param("w").Grad.Shape[0] = 3; return nil, nil }, "the shape of dw"},
		"a view of another shape": {func(in subject.Args) (wire.Values, error) { in.Tensor("w").Reshape(6).Shape[0] = 6; return nil, nil }, ""},
		"back again": {func(in subject.Args) (wire.Values, error) {
			in.Tensor("w").Data[0]++
			in.Tensor("w").Data[0]--
			return nil, nil
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, c.f)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			var f *verdict.Failure
			require.ErrorAs(t, err, &f)
			require.Equal(t, verdict.InputChanged, f.Kind)
			require.Contains(t, f.Message.String(), c.want)
		})
	}
}

// A crash is the first thing said, and then what was changed, which may be why. A call
// that was refused changes nothing, and how it was refused is known.
func TestChangedBeforeTheEnd(t *testing.T) {
	const change = "The call changed w, which it must leave as it is; the first change is at [0, 0]."
	ending := func(end func() error) *verdict.Failure {
		_, err := call(t, func(in subject.Args) (wire.Values, error) {
			in.Tensor("w").Data[0]++
			return nil, end()
		})
		f, ok := errors.AsType[*verdict.Failure](err)
		require.True(t, ok)
		return f
	}
	f := ending(func() error { panic("crash") })
	require.Equal(t, verdict.Panic, f.Kind)
	require.Equal(t, "panic: crash\n"+change, f.Message.String())
	f = ending(func() error { return tensor.IndexError{} })
	require.Equal(t, verdict.InputChanged, f.Kind)
	require.Equal(t, change, f.Message.String())
	require.Equal(t, verdict.TurnedDown, f.Refusal.Kind)
}

// What is not written yet is that, whatever it has changed on its way.
func TestNotWrittenYet(t *testing.T) {
	_, err := call(t, func(in subject.Args) (wire.Values, error) {
		in.Tensor("w").Data[0]++
		panic(tensor.TODO("step02: Linear.Forward"))
	})
	f, ok := errors.AsType[*verdict.Failure](err)
	require.True(t, ok)
	require.Equal(t, verdict.NotImplemented, f.Kind)
}

// Expected values never enter the student's process: neither the checks nor
// anything that could work them out is linked into a probe.
func TestProbeLinksNoAnswers(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags=stubformer_probe", ".").Output()
	require.NoError(t, err)
	var ours []string
	for _, path := range strings.Fields(string(out)) {
		if name, ok := strings.CutPrefix(path, "github.com/stubformer/stubformer/"); ok {
			ours = append(ours, name)
		}
		require.NotContains(t, []string{"net", "net/http", "os/exec", "github.com/stretchr/testify/require"}, path)
	}
	require.ElementsMatch(t, []string{"reference/cputime", "reference/kernel", "reference/tensor", "grader/probe/trace", "reference/wire", "grader/probe/subject"}, ours)
}

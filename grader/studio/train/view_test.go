package train

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/train/run"
)

func TestView(t *testing.T) {
	var out strings.Builder
	v := &View{Out: &out, Steps: 200, Peak: 1e9, Floor: 0.5}
	v.Show(run.Event{Start: &run.Start{Params: 118_500, FLOPsPerToken: 5000, TokensPerStep: 1000}})
	v.Show(run.Event{Step: &run.Step{Step: 0, ValidationLoss: new(4.5)}})
	v.Show(run.Event{Step: &run.Step{Step: 1, Loss: 4.25}})
	fmt.Fprintln(v, "the student prints")
	v.Show(run.Event{Step: &run.Step{Step: 100, Loss: 2, ValidationLoss: new(2.25), TokensPerSecond: 50_000, Sample: "\nOne\nmorning "}})
	v.Clear()
	require.Equal(t, `118.5k parameters, 5.0k matrix operations a token
step   0  validation 4.5000  floor 0.5000
the student prints
step 100  loss 2.0000  validation 2.2500  floor 0.5000  50.0k tok/s  MFU 25%  2s left
    One
    morning
`, out.String())
}

// A loss of 0 is one, as on a text that has a single character; and what the model
// writes cannot move the cursor, colour or beep.
func TestViewShowsALossOfZeroAndControlCharacters(t *testing.T) {
	var out strings.Builder
	v := &View{Out: &out, Steps: 10}
	v.Show(run.Event{Step: &run.Step{Step: 0, ValidationLoss: new(0.0), Sample: "a\x1b[31mred\a\nb\rc"}})
	v.Show(run.Event{Step: &run.Step{Step: 1}})
	v.Show(run.Event{Step: &run.Step{Step: 10, ValidationLoss: new(0.0)}})
	require.Equal(t, "step  0  validation 0.0000\n    a␛[31mred␇\n    b␍c\nstep 10  loss 0.0000  validation 0.0000\n", out.String())
	out.Reset()
	v.Live = true
	v.Show(run.Event{Step: &run.Step{Step: 5}})
	require.Equal(t, "\r\x1b[K5/10 [#####.....]  loss 0.000  val 0.000", out.String())
}

func TestBar(t *testing.T) {
	var out strings.Builder
	v := &View{Out: &out, Live: true, Steps: 40, validation: new(2.5)}
	v.Show(run.Event{Step: &run.Step{Step: 10, Loss: 2}})
	require.Equal(t, "\r\x1b[K10/40 [##........]  loss 2.000  val 2.500", out.String())
	out.Reset()
	v.Show(run.Event{Step: &run.Step{Step: 11, Loss: 2}})
	require.Empty(t, out.String(), "not drawn again so soon")
	v.Note("a line")
	require.Equal(t, "\r\x1b[Ka line\n", out.String(), "the bar is wiped away first")
}

func TestCount(t *testing.T) {
	for want, n := range map[string]float64{"0": 0, "999": 999, "1.0k": 1000, "21.3k": 21_345, "1.5M": 1_500_000, "2.0G": 2e9} {
		require.Equal(t, want, count(n))
	}
}

// What a program prints goes on, what the runtime says of a crash does not,
// however it is cut into writes.
func TestWords(t *testing.T) {
	const text = "one\ntwo panic: no\npanic: step02: Linear.Forward is not implemented yet\n\ngoroutine 1 [running]:\n"
	for size := 1; size < len(text); size++ {
		var out strings.Builder
		w := &words{to: &out}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			written, err := w.Write([]byte(rest[:n]))
			require.NoError(t, err)
			require.Equal(t, n, written)
			rest = rest[n:]
		}
		err := w.explain(&exec.ExitError{})
		require.Equal(t, "one\ntwo panic: no\n", out.String())
		var todo *NotImplementedError
		require.ErrorAs(t, err, &todo)
		require.Equal(t, "step02", todo.Step())
	}
	var out strings.Builder
	w := &words{to: &out}
	fmt.Fprint(w, "no line end")
	require.NoError(t, w.explain(nil))
	require.Equal(t, "no line end", out.String())
	require.ErrorContains(t, w.explain(errors.New("the pipe broke")), "the pipe broke")
}

func TestPeak(t *testing.T) { require.Greater(t, Peak(run.Recipe{}), 1e6) }

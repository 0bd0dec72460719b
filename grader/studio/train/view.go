package train

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// View shows how a training run goes: a line with a bar that is drawn anew
// after every step, and above it a line that stays for each look at the
// validation text.
type View struct {
	Out     io.Writer
	Live    bool    // Out is a terminal: draw the bar
	Columns int     // the width of Out; 0: lines are as long as they are
	Steps   int     // of the whole run
	Peak    float64 // operations per second, see Peak
	Floor   float64 // the smallest loss that any model can reach; 0: not known

	mu         sync.Mutex // events, prints and notes come from several goroutines
	start      run.Start
	validation *float64 // the last loss on the validation text
	drawn      time.Time
}

// drawEvery is the time between two drawings of the bar.
const drawEvery = 100 * time.Millisecond

// Show shows an event.
func (v *View) Show(e run.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case e.Start != nil:
		v.start = *e.Start
		v.print(fmt.Sprintf("%s parameters, %s matrix operations a token", count(float64(e.Start.Params)), count(float64(e.Start.FLOPsPerToken))))
	case e.Step != nil:
		v.step(*e.Step)
	}
}

func (v *View) step(s run.Step) {
	if s.ValidationLoss != nil {
		v.validation = s.ValidationLoss
		v.print(v.line(s))
		if s.Sample != "" {
			v.print("    " + strings.ReplaceAll(strings.TrimSpace(untrusted.Visible(s.Sample)), "\n", "\n    "))
		}
	}
	now := time.Now()
	if v.Live && s.Step > 0 && s.Step < v.Steps && now.Sub(v.drawn) >= drawEvery {
		v.drawn = now
		bar := v.bar(s)
		if v.Columns > 0 {
			bar = lang.Cut(bar, v.Columns-1)
		}
		fmt.Fprint(v.Out, "\r\x1b[K"+bar)
	}
}

// print writes a line that stays, above the bar.
func (v *View) print(line string) {
	if v.Columns > 0 {
		line = lang.Fill(line, v.Columns)
	}
	if v.Live {
		line = "\r\x1b[K" + line
	}
	fmt.Fprintln(v.Out, line)
}

// Write takes what the student's code prints.
func (v *View) Write(b []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.print(strings.TrimRight(string(b), "\n"))
	return len(b), nil
}

// Note writes a line of the grader's own.
func (v *View) Note(line string) { fmt.Fprintln(v, line) }

// Clear wipes the bar away.
func (v *View) Clear() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.Live {
		fmt.Fprint(v.Out, "\r\x1b[K")
	}
}

// line is what stays of a step: what was measured, and how fast it goes.
func (v *View) line(s run.Step) string {
	parts := []string{fmt.Sprintf("step %*d", len(fmt.Sprint(v.Steps)), s.Step)}
	if s.Step > 0 {
		parts = append(parts, fmt.Sprintf("loss %.4f", s.Loss))
	}
	parts = append(parts, fmt.Sprintf("validation %.4f", *s.ValidationLoss))
	if v.Floor > 0 {
		parts = append(parts, fmt.Sprintf("floor %.4f", v.Floor))
	}
	parts = append(parts, v.speed(s)...)
	if left := v.left(s); left != "" && !v.Live { // the bar below says it
		parts = append(parts, left)
	}
	return strings.Join(parts, "  ")
}

// bar is what is drawn below the lines that stay.
func (v *View) bar(s run.Step) string {
	const width = 10
	done := width * s.Step / max(v.Steps, 1)
	parts := []string{
		fmt.Sprintf("%d/%d [%s%s]", s.Step, v.Steps, strings.Repeat("#", done), strings.Repeat(".", width-done)),
		fmt.Sprintf("loss %.3f", s.Loss),
	}
	if v.validation != nil {
		parts = append(parts, fmt.Sprintf("val %.3f", *v.validation))
	}
	parts = append(parts, v.speed(s)...)
	if left := v.left(s); left != "" {
		parts = append(parts, left)
	}
	return strings.Join(parts, "  ")
}

// speed is the part of a line about how fast it goes.
func (v *View) speed(s run.Step) []string {
	if s.TokensPerSecond == 0 {
		return nil
	}
	parts := []string{count(s.TokensPerSecond) + " tok/s"}
	if v.Peak > 0 {
		parts = append(parts, fmt.Sprintf("MFU %.0f%%", 100*s.TokensPerSecond*float64(v.start.FLOPsPerToken)/v.Peak))
	}
	return parts
}

// left says how long the rest takes, if that is known.
func (v *View) left(s run.Step) string {
	steps := v.Steps - s.Step
	if steps <= 0 || v.start.TokensPerStep <= 0 || s.TokensPerSecond == 0 {
		return ""
	}
	seconds := float64(steps) * float64(v.start.TokensPerStep) / s.TokensPerSecond
	return time.Duration(seconds*float64(time.Second)).Round(time.Second).String() + " left"
}

// count writes a number with a unit: 812, 21.3k, 1.4M.
func count(n float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.size {
			return fmt.Sprintf("%.1f%s", n/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.0f", n)
}

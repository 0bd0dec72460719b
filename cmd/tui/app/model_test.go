package app_test

import (
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/runs"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/verdict"
)

// started is a dashboard that knows a course in which nothing is done yet.
func started(t *testing.T) *desk {
	d := newDesk(t, termenv.Ascii, true).size(80, 24)
	return d.send(engine.Loaded{Course: d.standingOf(nil)})
}

// save tells the dashboard that files of steps were saved.
func (d *desk) save(ids ...string) *desk {
	changed := engine.Changed{Watch: d.model.Watch()}
	for _, s := range d.model.Steps() {
		for _, id := range ids {
			if s.ID == id {
				changed.Steps = append(changed.Steps, s)
			}
		}
	}
	return d.send(changed)
}

func TestNewerSaveCancels(t *testing.T) {
	d := started(t).save("step02")
	first := d.model.Grading()
	require.Equal(t, "step02", first.Step.ID)
	require.False(t, first.Cancelled())
	d.save("step02")
	require.True(t, first.Cancelled())
	second := d.model.Grading()
	require.NotSame(t, first, second)

	d.send(engine.Progress{Grading: first, Event: grader.Event{Step: first.Step}})
	require.Nil(t, d.last, "nobody listens to the cancelled one any more")
	d.send(engine.Graded{Grading: first, Report: d.compileReport()})
	require.Same(t, second, d.model.Grading(), "a result that comes too late is dropped")
	d.send(engine.Graded{Grading: second, Report: d.wrongReport()})
	require.Nil(t, d.model.Grading())
	require.Contains(t, d.model.News(), "step02 graded")
}

func TestOtherStepsWait(t *testing.T) {
	d := started(t).save("step02", "step03").save("step03")
	first := d.model.Grading()
	require.False(t, first.Cancelled(), "another step was saved")
	require.Equal(t, 1, d.model.Queue(), "it waits once")
	d.send(engine.Graded{Grading: first, Report: d.wrongReport()})
	require.Equal(t, "step03", d.model.Grading().Step.ID)
	require.Zero(t, d.model.Queue())
}

func TestProgressIsShown(t *testing.T) {
	d := started(t).save("step02")
	g := d.model.Grading()
	require.Contains(t, d.model.View(), "step02: building")
	d.send(engine.Progress{Grading: g, Event: grader.Event{Step: g.Step, Check: &g.Step.Checks[1], Number: 2}})
	require.Contains(t, d.model.View(), "step02: check 2 of 2")
	require.NotNil(t, d.last, "the next event is asked for")
}

// While a step is graded anew, what is known of its checks is dim until each has
// ended; c gives the grading up, and the step that waits is graded next.
func TestOldResultsAreDim(t *testing.T) {
	d := newDesk(t, termenv.TrueColor, true).size(120, 40)
	d.send(engine.Loaded{Course: d.standingOf(nil, "linear")}).keys("down", "enter")
	d.grade(d.wrongReport())
	dim, good := "\x1b[38;2;147;147;147m", "\x1b[38;2;44;199;154m"
	require.Contains(t, d.model.View(), good+"✓ passed")
	d.press("r")
	require.NotContains(t, d.model.View(), good+"✓ passed")
	require.Contains(t, d.model.View(), dim+"✓ passed")
	require.Contains(t, d.model.View(), dim+"the gradients agree and are")
	g, r := d.model.Grading(), d.wrongReport()
	d.send(engine.Progress{Grading: g, Event: grader.Event{Step: g.Step, Check: &g.Step.Checks[1], Number: 2, Result: &r.Checks[1]}})
	require.Contains(t, d.model.View(), good+"✓ passed", "it has ended")

	d.save("step03")
	require.Contains(t, d.press("X").model.News(), "The grading of step02 was cancelled")
	require.True(t, g.Cancelled())
	require.Equal(t, "step03", d.model.Grading().Step.ID)
	require.Contains(t, d.model.View(), good+"✓ passed", "the results before count again")
}

// In a terminal of ASCII nothing is drawn with anything else.
func TestPlain(t *testing.T) {
	for name, play := range scenes() {
		d := newDesk(t, termenv.Ascii, true).size(80, 24)
		d.plain()
		play(d)
		for _, r := range d.model.View() {
			require.Less(t, r, rune(0x2190), "%s: %c", name, r)
		}
	}
}

// In a window that is too small the dashboard says so, and how large it must be.
func TestSmall(t *testing.T) {
	d := started(t).size(44, 12)
	require.Contains(t, d.model.View(), "The window has 44 × 12 characters; the")
	fits(t, d.model.View(), 44, 12, "small")
	require.Contains(t, d.size(50, 15).model.View(), "step01", "that is enough")
	fits(t, d.model.View(), 50, 15, "least")
}

// Ctrl-Z hands the terminal back to the shell.
func TestSuspend(t *testing.T) {
	d := started(t)
	d.send(tea.KeyMsg{Type: tea.KeyCtrlZ})
	require.IsType(t, tea.SuspendMsg{}, d.last())
}

func TestWatchOff(t *testing.T) {
	d := started(t)
	old := d.model.Watch()
	d.press("w")
	require.Contains(t, d.model.View(), "○ not watching")
	require.Regexp(t, `w +watch`, d.press("?").model.View())
	d.press("esc")
	d.send(engine.Changed{Watch: old, Steps: []*course.Step{d.model.Steps()[0]}})
	require.Nil(t, d.model.Grading(), "a change that was seen before it was turned off")
	d.press("w")
	require.Contains(t, d.model.View(), "● watching your files")
	d.press("r")
	require.NotNil(t, d.model.Grading(), "by hand")
}

func TestTroubleIsASentence(t *testing.T) {
	d := started(t).press("r")
	d.send(engine.Graded{Grading: d.model.Grading(), Err: errors.New("the fixtures are damaged")})
	require.Contains(t, d.model.View(), "The grader could not start: the fixtures are damaged")
	d.press("r")
	d.send(engine.Graded{Grading: d.model.Grading(), Report: d.wrongReport(), Record: errors.New("read-only file system")})
	require.Contains(t, d.model.View(), "The attempt could not be recorded: read-only file system")
}

// A hint is a help that is taken on purpose: the first h only shows the tab.
func TestHintIsTakenOnPurpose(t *testing.T) {
	d := started(t).keys("enter", "2").press("h")
	require.Contains(t, d.model.View(), "There are 2 hints")
	require.Nil(t, d.last)
	d.keys("h")
	require.Contains(t, d.model.View(), "Hint 1 of 2")
	d.keys("h", "h")
	require.Contains(t, d.model.View(), "Hint 2 of 2")
	require.Contains(t, d.model.View(), "That was the last one.")
}

func TestKeysOfAllTabs(t *testing.T) {
	d := started(t).keys("enter")
	for tab, words := range map[string]string{"1": "[1 Lesson]", "2": "[2 Checks]", "3": "[3 Hints]", "4": "[4 Compare]", "5": "[5 History]"} {
		require.Contains(t, d.keys(tab).model.View(), words)
	}
	require.Contains(t, d.keys("5", "right").model.View(), "[1 Lesson]", "around the end")
	require.Contains(t, d.keys("left").model.View(), "[5 History]")
	require.Contains(t, d.keys("esc").model.View(), "→ Next")
}

func TestQuit(t *testing.T) {
	d := started(t).press("q")
	require.IsType(t, tea.QuitMsg{}, d.last())
}

func TestResultGoesToTheStepThatIsOpen(t *testing.T) {
	d := started(t).keys("enter") // step01
	require.Contains(t, d.model.View(), "[1 Lesson]")
	d.save("step02").send(engine.Graded{Grading: d.model.Grading(), Report: d.wrongReport()})
	require.Contains(t, d.model.View(), "[1 Lesson]", "the lesson of another step is not taken away")
	require.Contains(t, d.model.View(), "step02 graded in 0.0 s: 40/100, "+verdict.WrongValues.Words())
	d.keys("esc", "down", "enter", "2")
	require.Contains(t, d.model.View(), "first wrong")
}

// click presses the left button on the first place that shows a text.
func (d *desk) click(text string) *desk {
	for y, line := range strings.Split(d.model.View(), "\n") {
		if before, _, found := strings.Cut(line, text); found {
			d.send(tea.MouseMsg{X: ansi.StringWidth(before), Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
			d.settle(d.last)
			return d
		}
	}
	require.Fail(d.t, "nothing to click on", text)
	return d
}

func TestMouse(t *testing.T) {
	for _, language := range lang.Names() {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {160, 50}} {
			d := newDeskIn(t, language, termenv.Ascii, true).size(size[0], size[1])
			d.send(engine.Loaded{Course: d.standingOf(nil)})
			d.click("03 swiglu")
			require.Contains(t, d.model.View(), "step03")
			for i, tab := range []string{"5 ", "2 ", "4 ", "3 ", "1 "} {
				d.click(" " + tab)
				require.Contains(t, d.model.View(), "["+tab, "click %d in %s at %v", i, language, size)
			}
		}
	}
	d := started(t).send(tea.MouseMsg{Action: tea.MouseActionPress, Button: tea.MouseButtonWheelDown})
	require.Contains(t, d.model.View(), "▌   02 linear", "the wheel moves as the arrow keys do")
	d.send(tea.MouseMsg{Action: tea.MouseActionRelease, Button: tea.MouseButtonLeft, Y: 2})
	require.Contains(t, d.model.View(), "→ Next", "a click counts once")
	d.press("m")
	require.Equal(t, tea.EnableMouseCellMotion(), d.last())
	require.Regexp(t, "m +mouse off", d.press("?").model.View())
	d.press("esc", "m")
	require.Equal(t, tea.DisableMouse(), d.last())
	require.NotRegexp(t, "m +mouse off", d.press("?").model.View())
}

// The run that was trained is shown when its training has ended.
func TestTrainedRunIsShown(t *testing.T) {
	d := started(t).press("t")
	d.train()
	d.send(engine.TrainingEnded{Training: d.model.Run()})
	other := trained(100)
	other.Dir = "runs/another"
	d.send(engine.Runs{Runs: []runs.Run{other, trained(800)}})
	require.Contains(t, d.model.View(), "▸ runs/tiny-village   step 800/800")
	require.Contains(t, d.model.View(), "go run ./cmd/grade generate\nruns/tiny-village\n")
	require.Contains(t, d.send(engine.Runs{Runs: []runs.Run{other, trained(800)}}).press("up").model.View(), "▸ runs/another")
}

// What another terminal has recorded since counts for more than the report of this session.
func TestRecordedElsewhere(t *testing.T) {
	d := started(t)
	id := d.wrongReport().ID
	d.save(id).send(engine.Graded{Grading: d.model.Grading(), Report: d.wrongReport(), At: at(5)})
	own := attempt(5, id, 60, "passed", "wrong_values")
	d.send(engine.Loaded{Course: d.standingOf([]progress.Attempt{own}, "initializers")})
	require.NotNil(t, d.model.Report(id), "the record is that of the report")
	d.send(engine.Loaded{Course: d.standingOf([]progress.Attempt{own, attempt(6, id, 100, "passed", "passed")}, "initializers")})
	require.Nil(t, d.model.Report(id))
	require.Contains(t, d.model.View(), "passed")
}

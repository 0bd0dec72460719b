// Package train trains and runs language models that are made of a student's
// code. That code never enters this process: it is built into a program of its
// own, which works in the folder of a run and reports what it does.
package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/child"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/probe/trace"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/kernel"
)

// The training program, the last step of the core, which it needs, and the elective
// with which it generates, once that passes.
const (
	program  = "grader/programs/train"
	lastStep = "step11_training"
	cache    = "step12"
	ring     = "step21" // with which a model generates that sees through a window

	pageProgram = "grader/programs/page" // of a page that is published
	pageStep    = "step10_lm"
)

// StandIns returns the electives that a model is made with. It is an error if the
// course has no such elective, or if two of them want the same place.
// So is a model with groups of heads in which no elective makes groups.
func StandIns(m run.Model) ([]course.Guest, error) {
	with, err := course.StandIns(registry.Steps(), m.With)
	if err != nil {
		return nil, err
	}
	if m.KVHeads() != m.NumHeads && !asked(with, "num_kv_heads") {
		return nil, lang.Errorf("num_kv_heads is %d and num_heads is %d: groups of heads need the elective that makes them, --with gqa", m.KVHeads(), m.NumHeads)
	}
	if m.NumExperts > 0 && !asked(with, "num_experts") {
		return nil, lang.Errorf("num_experts is %d: experts need the elective that makes them, --with moe", m.NumExperts)
	}
	if m.NumExperts == 0 && asked(with, "num_experts") && m.DModel > 0 {
		return nil, lang.Errorf("num_experts is 0: want how many experts there are, with moe in the model")
	}
	return with, nil
}

// asked reports whether one of the electives asks for a field of the configuration.
func asked(with []course.Guest, field string) bool {
	return slices.ContainsFunc(with, func(g course.Guest) bool {
		return slices.ContainsFunc(g.Places, func(p course.Place) bool {
			return slices.ContainsFunc(slices.Collect(maps.Values(p.By)), func(call string) bool { return strings.Contains(call, field) })
		})
	})
}

// fields are those of a model's configuration for which an elective may ask, with what
// they are.
func fields(m run.Model) *strings.Replacer {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return strings.NewReplacer("num_kv_heads", strconv.Itoa(m.KVHeads()), "num_experts", strconv.Itoa(m.NumExperts),
		"experts_per_token", strconv.Itoa(m.ExpertsPerToken), "balance_loss", number(m.BalanceLoss), "z_loss", number(m.ZLoss),
		"tokens_per_update", strconv.Itoa(m.TokensPerUpdate), "context_length", strconv.Itoa(m.ContextLength))
}

// told writes, into a call of an elective's function, what it asks for: fields of a model's
// configuration, and what else stands in the model.
func told(m run.Model, with []course.Guest, call string) string {
	return asksWith.ReplaceAllStringFunc(fields(m).Replace(call), func(word string) string {
		name := strings.ReplaceAll(strings.TrimPrefix(word, "with_"), "_", "-")
		return strconv.FormatBool(slices.ContainsFunc(with, func(g course.Guest) bool { return g.Name == name }))
	})
}

// asksWith matches an argument that asks what else stands in the model.
var asksWith = regexp.MustCompile(`\bwith_\w+`)

// Build builds the training program for a model around one source of all steps, some
// of which may stand in for parts of others, and returns the path of the binary, which
// lies in outDir. A student's own cache takes part only while it passes: otherwise its stub
// does, with which the program generates by recomputation. The ring of step 21 takes part in a
// model that sees through a window, while it agrees with the model. The errors are those of
// workspace.Kit.Build, or a *MismatchError.
func Build(ctx context.Context, kit *workspace.Kit, source workspace.Source, model run.Model, outDir string) (binary string, err error) {
	guests, err := Seats(model)
	if err != nil {
		return "", err
	}
	return BuildAround(ctx, kit, source, workspace.Build{Step: lastStep, Package: program, With: guests, Portable: model.Portable}, outDir)
}

// BuildPage builds the program that a page of the model runs, for a browser: the steps
// up to the model and the cache of step 12, as Build does.
func BuildPage(ctx context.Context, kit *workspace.Kit, source workspace.Source, model run.Model, outDir string) (binary string, err error) {
	guests, err := Seats(model)
	if err != nil {
		return "", err
	}
	return BuildAround(ctx, kit, source,
		workspace.Build{Step: pageStep, Package: pageProgram, With: guests, Env: workspace.ForBrowser()}, outDir)
}

// passes reports whether the last attempt at a step had full marks.
func passes(kit *workspace.Kit, s *course.Step) bool {
	attempts, err := progress.Open(progress.Path(kit.Root)).Attempts()
	last, tried := progress.Last(attempts)[s.ID]
	return err == nil && tried && last.Score == last.Max
}

// BuildAround builds a main package of the kit around one source of all steps. The
// errors are those of Build.
func BuildAround(ctx context.Context, kit *workspace.Kit, source workspace.Source, b workspace.Build, outDir string) (binary string, err error) {
	if err := probe.Cramped(); err != nil {
		return "", err
	}
	scratch.Sweep(os.TempDir(), scratch.Stale)
	folders, err := kit.Folders()
	if err != nil {
		return "", err
	}
	b.Course, b.Sources = registry.Steps(), map[string]workspace.Source{}
	for _, folder := range folders {
		b.Sources[folder] = source
	}
	for _, s := range b.Course {
		inModel := slices.ContainsFunc(b.With, func(g workspace.StandIn) bool { return g.Folder == s.Folder })
		if (s.ID == cache || s.ID == ring && !inModel) && source == workspace.Own() && !passes(kit, s) {
			b.Sources[s.Folder] = workspace.Pristine()
		}
	}
	binary, err = kit.Build(ctx, b, outDir)
	var compile *workspace.CompileError
	if err != nil && !errors.As(err, &compile) && ofProgram.MatchString(err.Error()) {
		return "", &MismatchError{err.Error()}
	}
	return binary, err
}

// stepNamed returns the step that a command runs. An edition of fewer steps may lack it.
func stepNamed(name string) (*course.Step, error) {
	step, err := course.Find(registry.Steps(), name)
	if err != nil {
		return nil, lang.Errorf("this runs the step %s, which this edition of the course does not have", name)
	}
	return step, nil
}

// Seats says where the electives of a model stand. Its errors are those of StandIns.
func Seats(model run.Model) ([]workspace.StandIn, error) {
	with, err := StandIns(model)
	var all []workspace.StandIn
	for _, g := range with {
		for _, p := range g.Places {
			o, err := stepNamed(p.In)
			if err != nil {
				return nil, err
			}
			by := map[string]string{}
			for name, call := range p.By {
				by[name] = told(model, with, call)
			}
			seat := workspace.StandIn{Folder: g.Step.Folder, For: o.Folder, Names: p.Names, By: by, Apart: g.Step.ID == ring}
			if !slices.ContainsFunc(all, func(o workspace.StandIn) bool { return o.Folder == seat.Folder && o.For == seat.For }) {
				all = append(all, seat) // two parts of a step may share a place
			}
		}
	}
	return all, err
}

// ofProgram matches a compile error in a file of one of the programs, whose
// path the go command writes as below the kit.
var ofProgram = regexp.MustCompile(`(?m)^(\.[/\\])?grader[/\\]programs[/\\](\w+[/\\])+\w+\.go:\d+`)

// MismatchError says that the training program does not compile on the steps:
// they declare something in another way than the stubs do.
type MismatchError struct{ Text string }

func (e *MismatchError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *MismatchError) In(p lang.Printer) string {
	return p.Say("the training program cannot use your steps: they lack something that the stubs declare, or declare it in another way\n%s", e.Text)
}

// NotImplementedError says that the program came to a function that the student
// has not written yet.
type NotImplementedError struct{ What string } // "step05: SwiGLU.Forward"

// Step is the step that it belongs to: "step05".
func (e *NotImplementedError) Step() string {
	step, _, _ := strings.Cut(e.What, ":")
	return step
}

func (e *NotImplementedError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *NotImplementedError) In(p lang.Printer) string {
	return p.Say("%s is not implemented yet", e.What)
}

// CrashError says that the student's code ended the program.
type CrashError struct {
	Message string // "panic: runtime error: index out of range"
	Where   string // the student's own lines, innermost first; may be ""
}

func (e *CrashError) Error() string {
	if e.Where == "" {
		return e.Message
	}
	return e.Message + "\n" + e.Where
}

// ProgramError is what the training program itself says is wrong: a damaged
// checkpoint, a training that has diverged.
type ProgramError struct{ Message string }

func (e *ProgramError) Error() string { return e.Message }

// Train lets a program train the model of a run's folder, and writes down that it is
// made from a student's own code or from the solutions; see Run.
func Train(ctx context.Context, binary, dir, impl string, prints io.Writer, watch func(run.Event)) error {
	c, err := run.Open(dir)
	if err != nil {
		return err
	}
	level := kernel.Best().Name
	if c.Model.Portable {
		level = "portable"
	}
	if err := run.TrainWith(dir, run.Stretch{Impl: impl, Kit: course.Version, Kernel: level}); err != nil {
		return err
	}
	return Run(ctx, binary, []string{"train", dir}, prints, watch)
}

// Run runs the training program and calls watch with every event. When ctx is
// done it asks the program to save and end, and waits for it. What the
// student's code prints goes to prints.
//
// It returns a *NotImplementedError, a *CrashError or a *ProgramError if the
// program ended with one.
//
// The program runs in a process group of its own, which ends with it. If this
// process is killed, Linux kills the program; elsewhere it sees that its input
// has ended, saves and ends.
func Run(ctx context.Context, binary string, args []string, prints io.Writer, watch func(run.Event)) error {
	return runWith(ctx, binary, args, prints, func(io.Writer) {}, watch)
}

// runWith is Run, and hands the program's input to somebody, who may write to it while it
// runs, also from another goroutine.
func runWith(ctx context.Context, binary string, args []string, prints io.Writer, begun func(io.Writer), watch func(run.Event)) error {
	cmd := exec.Command(binary, args...)
	stderr := &words{to: prints}
	cmd.Stderr = stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	end, err := child.Start(cmd)
	if err != nil {
		return err
	}
	defer end()
	defer context.AfterFunc(ctx, func() { input.Close() })()
	begun(input)
	var said string
	for d := json.NewDecoder(output); ; {
		var e run.Event
		if err = d.Decode(&e); err != nil {
			break
		}
		if e.Error != "" {
			said = e.Error
		}
		watch(e)
	}
	if err != io.EOF { // not our events: do not let the program wait for a reader
		cmd.Process.Kill()
	}
	ended := cmd.Wait()
	switch {
	case said != "":
		return &ProgramError{said}
	case err != io.EOF && !errors.Is(err, os.ErrClosed):
		return fmt.Errorf("the training program wrote something that is no event: %w", err)
	}
	return stderr.explain(ended)
}

// words takes what a program prints on its standard error: everything up to the
// announcement of a crash is passed on, the rest is kept.
type words struct {
	to    io.Writer
	line  []byte // begun
	crash strings.Builder
}

// kept is how many bytes of a crash are kept.
const kept = 64 << 10

func (w *words) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		w.line = append(w.line, line...)
		if !strings.HasSuffix(line, "\n") {
			break
		}
		w.end()
	}
	return len(b), nil
}

// end deals with a line that has ended.
func (w *words) end() {
	text := string(w.line)
	w.line = w.line[:0]
	crash := w.crash.Len() > 0 || strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ")
	switch {
	case text == "":
	case !crash:
		io.WriteString(w.to, text)
	case w.crash.Len() < kept:
		w.crash.WriteString(text)
	}
}

// todo matches how the Go runtime prints tensor.NotImplemented.
var todo = regexp.MustCompile(`^panic: (.+) is not implemented yet`)

// explain says why a program ended with an error.
func (w *words) explain(ended error) error {
	w.end()
	var exit *exec.ExitError
	if !errors.As(ended, &exit) {
		return ended
	}
	text := w.crash.String()
	if m := todo.FindStringSubmatch(text); m != nil {
		return &NotImplementedError{m[1]}
	}
	if text != "" {
		message, _, _ := strings.Cut(text, "\n")
		return &CrashError{message, trace.Student(text)}
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		return &CrashError{"the system killed the program; that is what it does when memory runs out", ""}
	}
	return &CrashError{"the program ended itself: " + exit.String(), ""}
}

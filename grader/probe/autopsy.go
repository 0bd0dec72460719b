package probe

import (
	"errors"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe/trace"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// autopsy finds out why no frame came while the program was doing something.
// The process is of no use any more.
func (p *process) autopsy(cause error, doing lang.Text) *verdict.Failure {
	var size *wire.SizeError
	var format *wire.FormatError
	switch {
	case errors.As(cause, &size):
		return p.failure(verdict.WrongShape, "the answer %s: %q is %v; an answer may hold %d MiB", doing, size.Name, size.Array, size.Limit>>20)
	case errors.As(cause, &format):
		return p.failure(verdict.Exited, "the program wrote something to the grader's wire %s that is not an answer (%v), and was stopped", doing, format)
	}
	select {
	case <-p.ended:
		return p.lastWords(doing)
	case <-time.After(patience):
		return p.failure(verdict.Exited, "the program closed the grader's wire %s and went on running; it was stopped", doing)
	}
}

// lastWords tells from what the program printed, and from its exit status, why
// it ended.
func (p *process) lastWords(doing lang.Text) *verdict.Failure {
	state := p.cmd.ProcessState
	if p.boxed && p.answered == 0 && (state.ExitCode() == sandbox.ExitBroken || p.output.beginsWith("bwrap: ")) {
		// Or so it seems: whoever grades tries the solution before it believes that.
		return p.failure(verdict.GraderError, "the sandbox could not be set up, which is not your fault")
	}
	if text := p.output.crashText(); text != "" && state.ExitCode() == crashed {
		return p.crash(text, doing)
	}
	if signal := killedBy(state); signal == "killed" { // not by us: the system does so when it runs out of memory
		f := p.failure(verdict.GraderError, "the system killed the program %s; that is what it does when memory runs out", doing)
		f.Suspected = verdict.OutOfMemory // or it ran out for another's sake
		return f
	} else if signal != "" {
		return p.failure(verdict.Panic, "the program crashed %s: %s", doing, signal)
	}
	f := p.failure(verdict.Exited, "the program ended itself (exit status %d) %s", state.ExitCode(), doing)
	p.vanished = p.answered == 0 && state.ExitCode() != 0 && f.Detail == ""
	return f
}

// crashed is the exit status of a Go program that panicked.
const crashed = 2

// crash tells from the Go runtime's own words why the program ended.
func (p *process) crash(text string, doing lang.Text) *verdict.Failure {
	line, _, _ := strings.Cut(text, "\n")
	f := p.failure(verdict.Panic, "%s (%s)", line, doing)
	if reason, ok := strings.CutPrefix(line, "fatal error: "); ok {
		f.Kind, f.Message = fatal(reason, doing)
	} else if strings.HasPrefix(text, segfault) {
		f.Kind, f.Message = fatal("out of memory", doing)
	}
	if frames := trace.Student(text); frames != "" {
		f.Detail = frames
	} else {
		f.Detail = trace.Words(text)
	}
	return f
}

// hang is for a program that did not answer in time. Where it can be asked, it
// says where it was.
func (p *process) hang(limit time.Duration, doing lang.Text) *verdict.Failure {
	f := p.failure(verdict.Timeout, "no answer within %v %s; is there a loop that does not end?", limit, doing)
	if p.level != sandbox.Limits || p.isOver() || !askWhere(p.cmd.Process.Pid) {
		return f
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
	}
	if frames := trace.Student(p.output.since("SIGQUIT: quit")); frames != "" {
		f.Detail = frames
	}
	return f
}

// flood is for a program that printed too much. If it did so while the runtime
// was listing its goroutines, what matters is why it did that.
func (p *process) flood(doing lang.Text) *verdict.Failure {
	if text := p.output.crashText(); strings.HasPrefix(text, "fatal error: ") {
		return p.crash(text, doing)
	}
	return p.failure(verdict.Exited, "the program printed more than %d MiB %s, and was stopped", p.limits.Output>>20, doing)
}

// overflow is for a program that wrote too much to the disk: its fault, unless there was
// little room.
func (p *process) overflow(doing lang.Text) error {
	if p.cramped {
		return &scratch.MachineError{Err: lang.Errorf("a disk is full: there was room for %d MiB", p.limits.Disk>>20)}
	}
	return p.failure(verdict.Exited, "the program had more than %d MiB in files %s, and was stopped", p.limits.Disk>>20, doing)
}

// fatal says in plain words what the Go runtime cannot recover from.
func fatal(reason string, doing lang.Text) (verdict.Kind, lang.Text) {
	for _, known := range []struct {
		sign string
		kind verdict.Kind
		says lang.Text
	}{
		{"out of memory", verdict.OutOfMemory, lang.T("the program needs more memory than it may have")},
		{"cannot allocate", verdict.OutOfMemory, lang.T("the program needs more memory than it may have")},
		{"stack overflow", verdict.Panic, lang.T("a function calls itself without end (stack overflow)")},
		{"all goroutines are asleep", verdict.Panic, lang.T("deadlock: every goroutine waits for another")},
		{"concurrent map", verdict.Panic, lang.T("two goroutines use one map at the same time (%s)", reason)},
	} {
		if strings.Contains(reason, known.sign) {
			return known.kind, lang.T("%s, %s", known.says, doing)
		}
	}
	return verdict.Panic, lang.T("the Go runtime stopped the program %s: %s", doing, reason)
}

// failure is a Failure with what the program printed last.
func (p *process) failure(kind verdict.Kind, format string, args ...any) *verdict.Failure {
	f := &verdict.Failure{Kind: kind, Message: lang.T(format, args...), Detail: p.output.excerpt(),
		Diagnosis: verdict.Diagnosis{Kind: verdict.Unexplained}}
	f.Clean()
	return f
}

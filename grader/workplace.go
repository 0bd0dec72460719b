package grader

import (
	"os"

	"github.com/stubformer/stubformer/grader/host/room"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// workplace makes a folder for programs, those of strangers perhaps, after those which
// killed runs have left behind were removed. The error says why none could be run here.
func workplace(strangers bool) (*scratch.Folder, error) {
	if err := probe.Cramped(); err != nil {
		return nil, err
	}
	scratch.Sweep(os.TempDir(), scratch.Stale)
	if err := room.Enough(os.TempDir(), strangers); err != nil {
		return nil, &scratch.MachineError{Err: err}
	}
	return scratch.New()
}

// excuse takes back what was found against a step while a disk was full: files that it
// writes, and the program's own, may have failed for that.
func (g *run) excuse(result *report.Step) {
	err := &scratch.MachineError{Err: lang.Errorf("the disk of %s was full", os.TempDir())}
	for i := range result.Checks {
		if c := &result.Checks[i]; c.Failure != nil && c.Verdict != verdict.NotImplemented && c.Verdict != verdict.Blocked {
			g.trouble[c.ID] = err
			c.Failure = unfinished(err)
			g.say(c)
		}
	}
	result.Close()
}

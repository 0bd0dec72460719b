package workspace

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/host/room"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/host/stint"
	"github.com/stubformer/stubformer/grader/lang"
)

// OfMachine reports whether an error is that of a machine which lacks something: time on a
// processor, room on a disk, a file of the build cache. Nobody who is graded can be
// blamed for it.
func OfMachine(err error) bool {
	return errors.As(err, new(*scratch.MachineError)) || errors.As(err, new(*stint.StarvedError)) || room.Lacking(err)
}

// TooBusy reports whether an error is that of a machine on which something took all the
// time that there was, and would again.
func TooBusy(err error) bool {
	return errors.As(err, new(*clockError)) || errors.As(err, new(*stint.StarvedError))
}

// clockError says that a build had its time, and computed for a small part of it.
type clockError struct {
	folder     string
	limit, ran time.Duration
}

func (e *clockError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *clockError) In(p lang.Printer) string {
	return p.Say("the build of %s did not end within %v, of which it computed for %v only", e.folder, e.limit, e.ran)
}

// cacheError says that the build cache lacks something.
type cacheError struct{ folder, said string }

func (e *cacheError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *cacheError) In(p lang.Printer) string {
	return p.Say("the build cache lacks what %s is built on:\n%s", e.folder, e.said)
}

// noProcess matches the words with which a go command says that it cannot start a tool, or
// a tool that it cannot start a thread.
var noProcess = regexp.MustCompile(`fork/exec \S+: (cannot allocate memory|resource temporarily unavailable)|failed to create new OS thread`)

// lacks returns the error of a go command which says that the machine lacks something.
func lacks(output string) error {
	switch output = strings.TrimSpace(ownWords(output)); {
	case nowhere.MatchString(output):
		return homeless()
	case room.Says(output):
		return &scratch.MachineError{Err: lang.Errorf("a disk is full:\n%s", output)}
	case noProcess.MatchString(output):
		return &scratch.MachineError{Err: lang.Errorf("the system starts no more processes:\n%s", output)}
	}
	return nil
}

// BuildLimitError says that a build took more than it may.
type BuildLimitError struct {
	Folder string
	Kind   LimitKind
	Limit  string
}

// LimitKind says of what a build took too much.
type LimitKind int

// What a build can take too much of.
const (
	OfTime LimitKind = iota
	OfMemory
	OfDisk
	OfSystem // the system killed it, as it does when memory runs out, perhaps for somebody else
)

func (e *BuildLimitError) Error() string { return e.In(lang.Printer{}) }

// In says the error in the language of p.
func (e *BuildLimitError) In(p lang.Printer) string {
	switch e.Kind {
	case OfMemory:
		return p.Say("compiling %s takes more memory than %s; is there a table or a type of enormous size?", e.Folder, e.Limit)
	case OfDisk:
		return p.Say("compiling %s writes more than %s; is there a table or a type of enormous size?", e.Folder, e.Limit)
	case OfSystem:
		return p.Say("the system killed the compiler of %s, as it does when memory runs out; is there a table or a type of enormous size?", e.Folder)
	}
	return p.Say("compiling %s takes more than %s of computing; is there a table or a type of enormous size?", e.Folder, e.Limit)
}

// stoppedError says that a command was stopped because it had its time, or because it
// wrote too much.
type stoppedError struct {
	limit, ran time.Duration // of its time, and what its threads computed in it
	disk       int64         // bytes that it may write
}

func (e *stoppedError) Error() string {
	return fmt.Sprintf("it was stopped after %v, of which it computed for %v (disk: %d)", e.limit, e.ran, e.disk)
}

// of returns the error of a build that was stopped. If it computed for most of its time
// the code needs that; if it waited, it was for something of the machine's.
func (e *stoppedError) of(folder string) error {
	switch {
	case e.disk > 0 && e.disk < room.Ample:
		return &scratch.MachineError{Err: lang.Errorf("a disk is full: there was room for %d MiB", e.disk>>20)}
	case e.disk > 0:
		return &BuildLimitError{Folder: folder, Kind: OfDisk, Limit: fmt.Sprintf("%d MiB", e.disk>>20)}
	case e.ran >= e.limit/2:
		return &BuildLimitError{Folder: folder, Limit: e.ran.Round(time.Second).String()}
	}
	return &scratch.MachineError{Err: &clockError{folder, e.limit, e.ran.Round(time.Second)}}
}

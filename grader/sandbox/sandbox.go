// Package sandbox fences in a command: what it may read and write, whom it may
// reach, how much it may use, and that nothing of it survives its end.
//
// There are three levels. The best that the machine has is found by trying it,
// not by asking for a version.
//
//	bubblewrap  bwrap(1): the command sees only the folders it is given. It has
//	            its own processes, network and users
//	landlock    Landlock, a part of Linux: the command sees all folders and may
//	            open only those it is given; no TCP, and no signals to others.
//	            Where the system allows it, its own processes and network too
//	limits      nothing of the above. The caller's limits on time, memory and
//	            output hold, and the process group is killed whole. Where the
//	            caller is root, the command has a user of its own and, if it is
//	            alone (see Policy), a root folder of its own
//
// At every level a command that is alone (see Policy) is held by a filter of its
// system calls too, and no descriptor reaches a command but those it is handed.
// docs/instructors.md has a table of what each level holds, made by a test.
//
// A program that wants a box must call Main first of all: a process can only
// restrict itself, so the program is started once more, restricts itself and
// then becomes the command.
package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// Level is how strongly a command is fenced in.
type Level string

// The levels, from the strongest to the weakest.
const (
	Bubblewrap Level = "bubblewrap"
	Landlock   Level = "landlock"
	Limits     Level = "limits"
)

// Levels returns all levels, the strongest first.
func Levels() []Level { return []Level{Bubblewrap, Landlock, Limits} }

// Policy is what a command may do. Folders are absolute paths; those that do
// not exist are left out.
type Policy struct {
	Read  []string // folders and files that may be read and executed
	Write []string // folders in which everything may be done

	Memory    int64         // bytes of data of each process; 0 for no limit
	FileSize  int64         // bytes of each file that is written; 0 for no limit
	CPU       time.Duration // computing time of each process; 0 for no limit
	Files     int           // open files of each process; 0 for no limit
	Processes int           // processes and threads together; 0 for no limit
	Disk      int64         // bytes in the folders of Write together, see Watch; 0 for no limit

	// Stranger is the user that the command runs as; nil for the caller's. Its Write
	// folders must be handed over with Box.Give.
	Stranger *Stranger `json:"-"`

	// Alone is for a static program that computes, reads and writes files, and
	// does nothing else: no other process or program, no sockets, no memory
	// shared with others, no signals to others. Its limits are then those of all
	// that it does.
	Alone bool
}

// Stranger is a user of the system to whom nothing belongs. As long as it has not left,
// nothing else runs as it, whoever else grades on this machine.
type Stranger struct {
	id   int
	held io.Closer
}

// Leave gives a user back when its command has ended and its folders are removed.
func (s *Stranger) Leave() {
	if s != nil {
		s.held.Close()
	}
}

// Box fences in commands on one level. The nil Box starts a command as it is.
type Box struct {
	level  Level
	helper Helper
	bwrap  string // path of bwrap
	own    own    // what the system allows beside

	strangers span // the users that it draws from
}

// span is a range of numbers of users, or of groups.
type span struct{ first, count int }

// own says what a command in a box gets beside what makes its level.
type own struct {
	Namespaces bool // its own processes, network and users
	Stranger   bool // it can run as a user to whom nothing belongs
	Rooted     bool // if it is alone, the folder that it may write is all that it sees of the files
	Filter     bool // its system calls can be filtered; true but at level limits
}

// Level returns the level of the box.
func (b *Box) Level() Level {
	if b == nil {
		return Limits
	}
	return b.level
}

// FencesFiles reports whether a command that is alone is kept from all files but those of
// its policy.
func (b *Box) FencesFiles() bool { return b != nil && (b.level != Limits || b.own.Rooted) }

// UnavailableError says that a level cannot be had on this machine.
type UnavailableError struct {
	Level  Level
	Reason string
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("the sandbox level %s is not available here: %s", e.Level, e.Reason)
}

// Best opens the strongest level that the machine has. The error says why it is
// not more.
func Best(h Helper) (*Box, error) {
	var reasons error
	for _, level := range Levels() {
		b, err := Open(h, level)
		if err == nil {
			return b, reasons
		}
		reasons = errors.Join(reasons, err)
	}
	return nil, reasons
}

// Limits returns a box of level limits for one's own code. Nothing is tried
// before: what the system cannot do is left out.
func (h Helper) Limits() *Box {
	if h.path == "" {
		return nil
	}
	return &Box{level: Limits, helper: h, own: own{Filter: true}}
}

// Open tries a level and returns a box of it. Its error is an
// *UnavailableError.
func Open(h Helper, level Level) (*Box, error) {
	if !slices.Contains(Levels(), level) {
		return nil, &UnavailableError{level, "there is no such level; want bubblewrap, landlock or limits"}
	}
	if os.Getenv(trying) != "" {
		return nil, &UnavailableError{level, "this program does not call sandbox.Main first of all, so it cannot restrict itself"}
	}
	b, err := open(h, level)
	if err != nil {
		return nil, &UnavailableError{level, err.Error()}
	}
	return b, nil
}

// Text says in a few words what the box holds, and what it does not.
func (b *Box) Text() string {
	switch {
	case b == nil || b.level == Limits && !b.own.Filter:
		return "limits on time, memory and output; files and network are not fenced in"
	case b.level == Limits && b.own.Rooted:
		return "a user of its own, only its own files, and a filter of its system calls"
	case b.level == Limits && b.own.Stranger:
		return "a user of its own and a filter of its system calls; files that everybody may read are not fenced in"
	case b.level == Limits:
		return "a filter of its system calls; files are not fenced in"
	case b.level == Bubblewrap:
		return "its own view of the files, its own processes and network"
	case b.own.Namespaces:
		return "only its own files, its own processes and network"
	}
	return "only its own files, and a filter of its system calls"
}

// trying is set in the environment of a process that is to try a box, so that
// one that does not know how cannot try in its turn.
const trying = "STUBFORMER_SANDBOX_TRIAL"

// order is what the caller tells the process that restricts itself and then
// becomes the command.
type order struct {
	Policy
	Level      Level
	User       int  // that the command runs as; 0 for the caller's
	Rooted     bool // the folder that it may write becomes its root
	Open       int  // descriptors that the command is handed, from 0
	Filter     bool // filter the system calls of the command
	Verify     int  // do not become anything, but find out whether the box holds: it must not reach this port
	Bubblewrap int  // where in the command the options of bwrap end; 0 if it is not called
}

// Helper is this program, started once more to restrict itself. Main returns
// it.
type Helper struct{ path, name string }

// word is the first argument of a program that is to restrict itself.
const word = "sandbox-exec"

// ExitBroken is the exit status of a box that could not be set up, before the
// command began.
const ExitBroken = 78

// Main must be called first in main, and in TestMain: if the program was
// started to restrict itself it does so and does not come back. Otherwise it
// keeps what descriptors the program has inherited, beside the standard ones,
// from all that the program starts.
func Main() Helper {
	if len(os.Args) > 2 && os.Args[1] == word {
		err := confine(os.Args[2], os.Args[3:])
		fmt.Fprintln(os.Stderr, "the sandbox could not be set up:", err)
		os.Exit(ExitBroken)
	}
	closeFrom(3)
	path, err := os.Executable()
	if err != nil {
		return Helper{}
	}
	return Helper{path, os.Args[0]}
}

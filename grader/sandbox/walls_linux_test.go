package sandbox_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/sandbox"
)

var update = flag.Bool("update", false, "write the table of what each level holds into docs/instructors.md; needs root and all levels")

// thing is something that a submission may try, and what the table calls it.
type thing struct {
	name, text string
	rare       bool // some machines refuse it to everybody
}

func things() []thing {
	return []thing{
		{"read", "read files that everybody may read, such as solutions and fixtures", false},
		{"stat", "find out whether one is there, and when it was changed", false},
		{"private", "read files of the grader's user", false},
		{"write", "write or remove them", false},
		{"chmod", "change their modes", false},
		{"environ", "look at the grader in `/proc`", false},
		{"memory-of", "open the grader's memory in `/proc`", false},
		{"dev-tty", "open the terminal as `/dev/tty`", false},
		{"terminal", "write to the terminal by its name, `/dev/pts/N`", false},
		{"types", "type into the terminal (TIOCSTI)", true},
		{"inherits", "read from a descriptor that the shell left open (`9<file`)", false},
		{"appends", "write to one (`8>>file`)", false},
		{"tcp", "connect by TCP", false},
		{"udp", "send by UDP", false},
		{"unix", "connect to a UNIX socket by its path", false},
		{"abstract", "connect to an abstract UNIX socket", false},
		{"kill", "send the grader a signal", false},
		{"sigio", "have a descriptor send it one (F_SETOWN)", false},
		{"ptrace", "trace the grader (ptrace)", true},
		{"its-memory", "open the memory of another submission in `/proc`", false},
		{"its-files", "read or remove the files of another submission", false},
		{"its-signals", "send another submission a signal", false},
		{"message", "leave a file that the next submission finds", false},
		{"process", "start a process", false},
		{"outlives", "leave one behind that outlives the grader", false},
		{"program", "start another program", false},
		{"mount", "mount a file system", true},
		{"namespace", "make namespaces of its own", true},
		{"keyctl", "use the system's keyrings", true},
		{"bpf", "load BPF programs and maps", true},
		{"io_uring", "use io_uring", true},
		{"perf", "use performance counters", true},
		{"userfaultfd", "use userfaultfd", true},
		{"machine-code", "run machine code that it has written into its memory", false},
		{"memory", "take more memory than the limit", false},
		{"shared-memory", "take it as shared memory", false},
		{"dev-zero", "take it through a shared mapping of `/dev/zero`", false},
		{"memfd", "take it as a file in memory (memfd)", true},
		{"dev-shm", "take it as files in `/dev/shm`", true},
		{"tmp", "fill the disk in `/tmp`", false},
		{"file", "write a file larger than the limit", false},
		{"folder", "write more into its own folder than the limit", false},
		{"threads", "start 1,000 threads", false},
	}
}

const (
	// bare stands for no wall at all, to see that each attempt can succeed.
	bare = sandbox.Level("bare")
	// unrooted is level limits where root may not change the root folder.
	unrooted = sandbox.Level("unrooted")
)

// findings say, by level and thing, what the attempt printed.
type findings map[sandbox.Level]map[string]string

func (f findings) through(level sandbox.Level, t thing) bool {
	return strings.Contains(f[level][t.name], "through")
}

// TestWalls tries every thing at every level, as root and as an ordinary user,
// and compares with the table in docs/instructors.md.
func TestWalls(t *testing.T) {
	dir, err := os.MkdirTemp("", "sandbox-walls-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	intruder := filepath.Join(dir, "intruder")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", intruder, "./testdata/intruder")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	self, err := os.Executable()
	require.NoError(t, err)
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	program := filepath.Join(dir, "walls.test")
	require.NoError(t, os.WriteFile(program, data, 0o755))
	found := map[string]findings{}
	if os.Getuid() == 0 {
		found["root"] = measureAs(t, program, dir, 0)
		found["user"] = measureAs(t, program, dir, 4242)
	} else {
		found["user"] = measureAs(t, program, dir, os.Getuid())
	}
	for who, f := range found {
		for level, said := range f {
			require.Contains(t, said["works"], "through", "%s, level %s: what a submission may do", who, level)
		}
		for _, thing := range things() {
			if !thing.rare && !f.through(bare, thing) {
				t.Errorf("%s without any wall: %s: %s; the attempt can never succeed", who, thing.name, f[bare][thing.name])
			}
			if os.Getenv("WALLS_TELL") != "" {
				for _, level := range append(sandbox.Levels(), unrooted, bare) {
					t.Logf("%-4s %-10s %-13s %s", who, level, thing.name, f[level][thing.name])
				}
			}
		}
	}
	compareTable(t, filepath.Join("..", "..", "docs", "instructors.md"), found)
	for _, name := range []string{"private", "write", "memory-of", "its-memory", "its-files", "its-signals"} {
		if f := found["root"]; f != nil && f.through(unrooted, thing{name: name}) {
			t.Errorf("root at level limits without a root folder of its own: %s: %s", name, f[unrooted][name])
		}
	}
}

package probe

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/sandbox"
)

// Limits bound what a subject may use.
type Limits struct {
	Start  time.Duration // from the start of the process to its hello
	Call   time.Duration // for one call
	Budget time.Duration // for all starts and calls together, of every Subject of a step; 0 for no limit
	Disk   int64         // bytes in its own folder; 0 for no limit
	Memory int64         // bytes of data: heap, stacks, private mappings; 0 for no limit
	Output int64         // bytes printed to standard output and error together, by one process
	Reply  int64         // bytes of the arrays in one reply
}

// DefaultLimits are what `grade` uses: far more than any right answer needs.
func DefaultLimits() Limits {
	return Limits{Start: 20 * time.Second, Call: 10 * time.Second, Budget: 3 * time.Minute,
		Memory: 2 << 30, Disk: 1 << 30, Output: 64 << 20, Reply: 256 << 20}
}

// Command is a program that speaks the protocol.
type Command struct {
	Path string
	Args []string
	Env  []string // on top of the clean environment
	Dir  string   // working directory; "" for an empty one that is removed at the end

	Box *sandbox.Box // to run it in, with its own working directory as all that it may write; nil for limits alone

	line string // for Windows: what cmd.exe is to run, instead of Args
}

// Shell returns the command that runs a line of the system's shell in the
// caller's own directory and environment: an external program that the user
// trusts. Its memory, time and output are limited like any subject's.
func Shell(line, step string) Command {
	dir, _ := os.Getwd()
	env := append(os.Environ(), "STUBFORMER_STEP="+step)
	if runtime.GOOS == "windows" {
		return Command{Path: "cmd", line: line, Env: env, Dir: dir}
	}
	return Command{Path: "/bin/sh", Args: []string{"-c", "exec " + line}, Env: env, Dir: dir}
}

// Capability is something that this platform can or cannot do to a subject.
type Capability struct {
	Name      lang.Text
	Available bool
	Text      lang.Text
}

// Capabilities tells which limits hold on this machine.
func Capabilities() []Capability {
	out := []Capability{
		{lang.T("time limit"), true, lang.T("a call may take %v; then the program is killed, with every process that it started and that stayed in its group", DefaultLimits().Call)},
		memoryCapability(),
		{lang.T("end of the grader"), true, lang.T("if the grader itself is killed, its probe is killed as well")},
		{lang.T("sandbox"), false, lang.T("the probe runs as you: its files and network are not fenced in")},
	}
	if runtime.GOOS != "linux" {
		out[2] = Capability{out[2].Name, false, lang.T("if the grader itself is killed, its probe ends when it next waits for a call, not before")}
	}
	return out
}

// policy is what a subject in a box may do: execute itself, and write into its
// own folder.
func policy(c Command, dir string, limits Limits) sandbox.Policy {
	return sandbox.Policy{Read: []string{c.Path}, Write: []string{dir}, Alone: true,
		Memory: limits.Memory, FileSize: 256 << 20, Disk: limits.Disk, Files: 256, Processes: 512}
}

// environment is what a subject sees: nothing of the user's but the way to the
// programs of the system.
func environment(dir string, memory int64) []string {
	// A fence may hide from it how many processors a container may use.
	env := []string{"HOME=" + dir, "TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir, "GOTRACEBACK=single",
		"GOMAXPROCS=" + strconv.Itoa(runtime.GOMAXPROCS(0))}
	if runtime.GOOS == "windows" {
		env = append(env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"), "PATH="+filepath.Join(os.Getenv("SYSTEMROOT"), "System32"))
	} else {
		env = append(env, "PATH=/usr/bin:/bin")
	}
	if memory > 0 {
		env = append(env, "GOMEMLIMIT="+strconv.FormatInt(memory*3/4, 10))
	}
	return env
}

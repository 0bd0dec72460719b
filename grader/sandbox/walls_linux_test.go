package sandbox_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/host/child"
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

// bare stands for no wall at all, to see that each attempt can succeed.
const bare = sandbox.Level("bare")

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
				for _, level := range append(sandbox.Levels(), bare) {
					t.Logf("%-4s %-10s %-13s %s", who, level, thing.name, f[level][thing.name])
				}
			}
		}
	}
	compareTable(t, filepath.Join("..", "..", "docs", "instructors.md"), found)
}

// measureAs runs the attempts as a user, in a session with a terminal, below a
// process that has two files open, as a shell might have left them.
func measureAs(t *testing.T, program, dir string, uid int) findings {
	base := filepath.Join(dir, strconv.Itoa(uid))
	require.NoError(t, os.Mkdir(base, 0o755))
	master, slave, err := pty.Open()
	require.NoError(t, err)
	defer master.Close()
	defer slave.Close()
	go io.Copy(io.Discard, master)
	secret, err := os.Open(program)
	require.NoError(t, err)
	defer secret.Close()
	log, err := os.Create(filepath.Join(base, "log"))
	require.NoError(t, err)
	defer log.Close()
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Dir = base
	cmd.Env = []string{"WALLS=" + slave.Name(), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + base}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.ExtraFiles = []*os.File{nil, nil, nil, nil, nil, log, secret} // 8 and 9
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if os.Getuid() == 0 && uid != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
		require.NoError(t, os.Chown(base, uid, uid))
		require.NoError(t, os.Chown(slave.Name(), uid, uid))
	}
	require.NoError(t, cmd.Run())
	data, err := os.ReadFile(filepath.Join(base, "findings"))
	require.NoError(t, err)
	var f findings
	require.NoError(t, json.Unmarshal(data, &f))
	for level, all := range f {
		if reason := all["unavailable"]; reason != "" {
			t.Logf("as user %d, level %s: %s", uid, level, reason)
			delete(f, level)
		}
	}
	return f
}

// measure is what the process under measureAs does.
func measure(terminal string) error {
	base, err := os.Getwd()
	if err != nil {
		return err
	}
	private, socket := filepath.Join(base, "private"), filepath.Join(base, "socket")
	if err := os.WriteFile(private, []byte("x"), 0o600); err != nil {
		return err
	}
	tcp, err1 := net.Listen("tcp", "127.0.0.1:0")
	udp, err2 := net.ListenPacket("udp", "127.0.0.1:0")
	named, err3 := net.Listen("unix", socket)
	abstract, err4 := net.Listen("unix", "@"+socket)
	for _, err := range []error{err1, err2, err3, err4, os.Chmod(socket, 0o777)} {
		if err != nil {
			return err
		}
	}
	defer named.Close()
	defer abstract.Close()
	defer tcp.Close()
	args := []string{strconv.Itoa(os.Getpid()), filepath.Join(filepath.Dir(base), "walls.test"), private,
		tcp.Addr().String(), udp.LocalAddr().String(), socket, terminal}
	left := []*os.File{nil, nil, nil, nil, nil, os.NewFile(8, "log"), os.NewFile(9, "secret")}
	found := findings{}
	for _, level := range append(sandbox.Levels(), bare) {
		found[level] = map[string]string{}
		var box *sandbox.Box
		if level != bare {
			if box, err = sandbox.Open(helper, level); err != nil {
				found[level]["unavailable"] = err.Error()
				continue
			}
		}
		for _, names := range runs() {
			said, err := attempt(box, names, args, left)
			if err != nil {
				return err
			}
			maps.Copy(found[level], said)
		}
	}
	data, err := json.Marshal(found)
	if err != nil {
		return err
	}
	return os.WriteFile("findings", data, 0o644)
}

// runs are the attempts of one process each: what may end the process, or
// depends on its descriptors, is alone.
func runs() [][]string {
	lone := []string{"inherits", "appends", "memory", "shared-memory", "file", "folder", "threads"}
	all := [][]string{{"works"}}
	for _, t := range things() {
		if slices.Contains(lone, t.name) {
			all = append(all, []string{t.name})
		} else {
			all[0] = append(all[0], t.name)
		}
	}
	return all
}

// attempt runs the intruder as the grader runs a submission; without a box, as
// a shell would, with the descriptors that were left open. It returns what was
// said of each attempt.
func attempt(box *sandbox.Box, names, args []string, left []*os.File) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "box-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	intruder := filepath.Join(filepath.Dir(os.Getenv("TMPDIR")), "intruder")
	cmd := exec.Command(intruder, append([]string{strings.Join(names, ",")}, args...)...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, 50*time.Millisecond
	if box == nil {
		cmd.Stdin, cmd.ExtraFiles = os.Stdin, left
		err := cmd.Run()
		return said(names, out.String(), err), nil
	}
	p := sandbox.Policy{Read: []string{intruder}, Write: []string{dir}, Memory: 128 << 20, FileSize: 32 << 20, Disk: 64 << 20,
		Files: 256, Processes: 512, Stranger: true, Alone: true}
	if err := box.Give(p, dir); err != nil {
		return nil, err
	}
	box.Wrap(cmd, p)
	end, err := child.Start(cmd)
	if err != nil {
		return nil, err
	}
	defer end()
	defer p.Watch(func() { child.Kill(cmd) })()
	err = cmd.Wait()
	return said(names, out.String(), err), nil
}

// said is what was printed of each attempt, or how the process ended.
func said(names []string, out string, err error) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		first, _, _ := strings.Cut(out, "\n")
		all[name] = fmt.Sprint(err, " ", first)
	}
	for line := range strings.Lines(out) {
		if name, what, ok := strings.Cut(strings.TrimSpace(line), " "); ok && all[name] != "" {
			all[name] = what
		}
	}
	return all
}

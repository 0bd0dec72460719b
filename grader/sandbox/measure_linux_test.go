package sandbox_test

import (
	"bufio"
	"encoding/json"
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
	for _, level := range append(sandbox.Levels(), unrooted, bare) {
		box, err := openBox(level)
		if err != nil {
			found[level] = map[string]string{"unavailable": err.Error()}
			continue
		}
		if found[level], err = measureAt(box, args, left); err != nil {
			return err
		}
	}
	data, err := json.Marshal(found)
	if err != nil {
		return err
	}
	return os.WriteFile("findings", data, 0o644)
}

func openBox(level sandbox.Level) (*sandbox.Box, error) {
	switch level {
	case bare:
		return nil, nil
	case unrooted:
		b, err := sandbox.Open(helper, sandbox.Limits)
		return b.Unrooted(), err
	}
	return sandbox.Open(helper, level)
}

// measureAt makes all attempts in a box, while another submission runs in one, and after
// one that has left a message.
func measureAt(box *sandbox.Box, args []string, left []*os.File) (map[string]string, error) {
	neighbour, err := newVisit(box, []string{"waits"}, append(args, "0", ""))
	if err != nil {
		return nil, err
	}
	defer neighbour.leave()
	out, err := neighbour.StdoutPipe()
	if err != nil {
		return nil, err
	}
	end, err := child.Start(neighbour.Cmd)
	if err != nil {
		return nil, err
	}
	defer neighbour.Wait()
	defer end()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		return nil, fmt.Errorf("the neighbour is not there: %q, %w", line, err)
	}
	args = append(args, strconv.Itoa(neighbour.Process.Pid), neighbour.Dir)
	found := map[string]string{}
	for _, names := range append([][]string{{"leaves"}}, runs()...) {
		said, err := attempt(box, names, args, left)
		if err != nil {
			return nil, err
		}
		maps.Copy(found, said)
	}
	for _, dir := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		if err := os.RemoveAll(filepath.Join(dir, "stubformer-walls-message")); err != nil {
			return nil, err
		}
	}
	return found, nil
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

// visit is a run of the intruder as the grader runs a submission; without a box, as a
// shell would.
type visit struct {
	*exec.Cmd
	policy sandbox.Policy
}

func newVisit(box *sandbox.Box, names, args []string) (*visit, error) {
	dir, err := os.MkdirTemp("", "box-")
	if err != nil {
		return nil, err
	}
	intruder := filepath.Join(filepath.Dir(os.Getenv("TMPDIR")), "intruder")
	v := &visit{Cmd: exec.Command(intruder, append([]string{strings.Join(names, ",")}, args...)...)}
	v.Dir, v.Env, v.WaitDelay = dir, []string{"HOME=" + dir}, 50*time.Millisecond
	if box == nil {
		return v, nil
	}
	v.policy = sandbox.Policy{Read: []string{intruder}, Write: []string{dir}, Memory: 128 << 20, FileSize: 32 << 20, Disk: 64 << 20,
		Files: 256, Processes: 512, Alone: true}
	if v.policy.Stranger, err = box.Stranger(); err != nil {
		return nil, err
	}
	if err := box.Give(v.policy, dir); err != nil {
		return nil, err
	}
	box.Wrap(v.Cmd, v.policy)
	return v, nil
}

// leave removes the folder of the visit and gives its user back.
func (v *visit) leave() {
	os.RemoveAll(v.Dir)
	v.policy.Stranger.Leave()
}

// attempt makes some attempts, without a box with the descriptors that were left open. It
// returns what was said of each.
func attempt(box *sandbox.Box, names, args []string, left []*os.File) (map[string]string, error) {
	v, err := newVisit(box, names, args)
	if err != nil {
		return nil, err
	}
	defer v.leave()
	var out strings.Builder
	v.Stdout, v.Stderr = &out, &out
	if box == nil {
		v.Stdin, v.ExtraFiles = os.Stdin, left
		err := v.Run()
		return said(names, out.String(), err), nil
	}
	end, err := child.Start(v.Cmd)
	if err != nil {
		return nil, err
	}
	defer end()
	defer v.policy.Watch(func() { child.Kill(v.Cmd) })()
	err = v.Wait()
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

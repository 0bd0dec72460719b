package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/stubformer/stubformer/grader/host/scratch"
)

// trial is how long a box may take to be set up, far more than it needs.
const trial = 10 * time.Second

// verify runs a command in the box that finds out whether the box holds.
func (b *Box) verify() error {
	tmp, err := scratch.New()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	dir := tmp.Path
	port, hangUp, err := listen()
	if err != nil {
		return err
	}
	defer hangUp()
	p := Policy{Write: []string{dir}, Read: []string{b.helper.path}, Alone: b.level != Bubblewrap}
	if p.Stranger, err = b.Stranger(); err != nil {
		return err
	}
	defer p.Stranger.Leave()
	if err := b.prepareTrial(&p, dir); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), trial)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.helper.path)
	cmd.Dir, cmd.Env = dir, []string{trying + "=1"}
	b.wrap(cmd, p, port)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return errors.New(strings.TrimSpace(string(out)))
	}
	return err
}

// prepareTrial makes the folder, and this program, fit for a trial.
func (b *Box) prepareTrial(p *Policy, dir string) error {
	if b.level == Bubblewrap && b.own.Stranger { // who may not be able to reach this program where it lies
		program := filepath.Join(dir, "program")
		data, err := os.ReadFile(b.helper.path)
		if err := errors.Join(err, os.WriteFile(program, data, 0o755)); err != nil {
			return err
		}
		p.Read = []string{program}
	}
	return b.Give(*p, dir)
}

// listen waits on a port of this machine, until hangUp is called, and never answers. The
// sockets of a trial are the system's own: package net would be much to compile for them.
func listen() (port int, hangUp func(), err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, fmt.Errorf("no socket to try the box with: %w", err)
	}
	hangUp = func() { unix.Close(fd) }
	if err = unix.Bind(fd, loopback(0)); err == nil {
		err = unix.Listen(fd, 1)
	}
	var bound unix.Sockaddr
	if err == nil {
		bound, err = unix.Getsockname(fd)
	}
	if err != nil {
		hangUp()
		return 0, nil, fmt.Errorf("no port to try the box with: %w", err)
	}
	return bound.(*unix.SockaddrInet4).Port, hangUp, nil
}

// reaches reports whether this process can connect to a port of this machine, within a second.
func reaches(port int) bool {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{Sec: 1})
	return err == nil && unix.Connect(fd, loopback(port)) == nil
}

func loopback(port int) *unix.SockaddrInet4 {
	return &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
}

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// confine restricts this process and then becomes the command. It comes back
// only with an error.
func confine(data string, command []string) error {
	var o order
	if err := json.Unmarshal([]byte(data), &o); err != nil {
		return err
	}
	if o.Verify != 0 && o.Level == Bubblewrap { // this is the command already
		return o.verified()
	}
	runtime.LockOSThread() // what follows is in part a matter of the thread
	if err := closeFrom(o.Open); err != nil {
		return err
	}
	program, err := unix.Open(command[0], unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("cannot start %s: %w", command[0], err)
	}
	if o.Level == Landlock {
		if err := o.landlock(); err != nil {
			return err
		}
	}
	if o.Rooted {
		if err := o.takeRoot(); err != nil {
			return err
		}
	}
	if o.User != 0 {
		if err := becomeUser(o.User); err != nil {
			return err
		}
	}
	// Who changes its user loses the order to end when the grader does.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if o.Verify != 0 {
		return o.verified()
	}
	if err := o.limit(); err != nil {
		return err
	}
	if err := o.become(program, command); err != nil {
		return fmt.Errorf("cannot start %s: %w", command[0], err)
	}
	return nil
}

// become becomes the command, whose system calls are filtered where the order
// says so. It comes back only with an error.
func (o order) become(program int, command []string) (err error) {
	switch {
	case o.Filter && o.Bubblewrap > 0:
		if command, err = withFilter(command, o.Bubblewrap); err != nil {
			return err
		}
	case o.Filter:
		err = becomeAlone(program, command)
		if o.Level != Limits || !errors.Is(err, errNoFilter) {
			return err
		}
	}
	if o.Rooted {
		return execute(program, command, 0)
	}
	return syscall.Exec(command[0], command, os.Environ())
}

// takeRoot makes the folder that the command may write its root: it sees no other file.
// What of its environment names the folder names the root then.
func (o *order) takeRoot() error {
	for _, e := range os.Environ() {
		if name, value, _ := strings.Cut(e, "="); value == o.Write[0] {
			if err := os.Setenv(name, "/"); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(unix.Chroot(o.Write[0]), unix.Chdir("/")); err != nil {
		return fmt.Errorf("its folder cannot be made its root: %w", err)
	}
	o.Write = []string{"/"}
	// What an ordinary user needed for that is not for the command.
	return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
}

// verified ends this process if the box holds.
func (o order) verified() error {
	if err := o.holds(); err != nil {
		return err
	}
	if o.Filter {
		if err := filter(os.Getpid(), 0); err != nil {
			return err
		}
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err == nil {
			unix.Close(fd)
			return errors.New("it can make sockets")
		}
	}
	os.Exit(0)
	return nil
}

// becomeUser changes the user of this thread alone: the others end when it
// becomes the command.
func becomeUser(user int) error {
	id := uintptr(user)
	for _, call := range [][4]uintptr{
		{syscall.SYS_SETGROUPS, 0, 0, 0},
		{syscall.SYS_SETRESGID, id, id, id},
		{syscall.SYS_SETRESUID, id, id, id},
	} {
		if _, _, errno := syscall.RawSyscall(call[0], call[1], call[2], call[3]); errno != 0 {
			return fmt.Errorf("the user cannot be changed: %w", errno)
		}
	}
	return nil
}

// limit sets the limits that a process keeps when it becomes another program.
// RLIMIT_AS would not do for memory: Go reserves far more than it uses.
func (o order) limit() error {
	for _, l := range []struct {
		resource int
		value    int64
	}{
		{unix.RLIMIT_CORE, -1},
		{unix.RLIMIT_FSIZE, o.FileSize},
		{unix.RLIMIT_CPU, int64((o.CPU + time.Second - 1) / time.Second)},
		{unix.RLIMIT_NOFILE, int64(o.Files)},
		{unix.RLIMIT_NPROC, int64(o.Processes)},
		{unix.RLIMIT_DATA, o.Memory},
	} {
		if l.value == 0 {
			continue
		}
		value := uint64(max(l.value, 0))
		var own syscall.Rlimit
		if err := syscall.Getrlimit(l.resource, &own); err != nil {
			return err
		}
		value = min(value, own.Max) // nobody can raise that
		if err := syscall.Setrlimit(l.resource, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("the limit %d cannot be set: %w", l.resource, err)
		}
	}
	return nil
}

// holds finds out whether this process is fenced in: whether it can write where
// it may, and not read where it may not.
func (o order) holds() error {
	mine := filepath.Join(o.Write[0], "verify")
	if err := os.WriteFile(mine, []byte("x"), 0o600); err != nil {
		return fmt.Errorf("its own folder cannot be written: %w", err)
	}
	if err := os.Remove(mine); err != nil {
		return err
	}
	if o.Level == Limits && !o.Rooted {
		return nil
	}
	if _, err := os.ReadDir("/proc/1"); !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
		return errors.New("it can look at other processes")
	}
	if _, err := os.ReadFile("/etc/passwd"); err == nil {
		return errors.New("it can read the system's files")
	}
	if o.Level == Limits {
		return nil
	}
	if reaches(o.Verify) {
		return errors.New("it reaches the network")
	}
	return nil
}

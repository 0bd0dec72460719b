package probe

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// askWhere makes a Go program that does not answer print where it is, and end,
// which is how its runtime answers a SIGQUIT. It prints the stacks of what waits and
// of what runs on the thread that the signal reaches, but of no other thread, so the
// signal goes to the thread that computes. The runtime hands what computes from
// thread to thread, and so the program stands still while that one is looked for.
func askWhere(pid int) bool {
	if syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return false
	}
	defer syscall.Kill(pid, syscall.SIGCONT)
	t, ok := computing(stopped(pid))
	return ok && syscall.Tgkill(pid, t.id, syscall.SIGQUIT) == nil
}

// thread is a thread of a process.
type thread struct {
	id     int
	stands bool // it is stopped
	code   bool // it runs code of its own: it is in no system call
	ticks  int  // of the clock, that it has computed
}

// computing returns the thread that computes: one in no system call before one that
// waits in one, and of several the one that has computed longest.
func computing(all []thread) (best thread, ok bool) {
	for _, t := range all {
		if !ok || t.code && !best.code || t.code == best.code && t.ticks > best.ticks {
			best, ok = t, true
		}
	}
	return best, ok
}

// stopped returns the threads of a process that has been told to stop, when all of
// them have; or as they are, if that takes too long.
func stopped(pid int) []thread {
	const looks = 1000
	for range looks {
		all := threads(pid)
		if !slices.ContainsFunc(all, func(t thread) bool { return !t.stands }) {
			return all
		}
		time.Sleep(time.Millisecond)
	}
	return threads(pid)
}

// threads returns the threads of a process; none if it has ended.
func threads(pid int) []thread {
	dirs, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	var all []thread
	for _, dir := range dirs {
		data, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has just ended
		}
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:]) // of proc_pid_stat(5), from the third on
		if len(fields) < 12 {
			continue
		}
		t := thread{stands: string(fields[0]) == "T"}
		t.id, _ = strconv.Atoi(filepath.Base(dir))
		t.ticks, _ = strconv.Atoi(string(fields[11])) // utime
		call, err := os.ReadFile(filepath.Join(dir, "syscall"))
		t.code = err == nil && bytes.HasPrefix(call, []byte("-1 ")) // of proc_pid_syscall(5)
		all = append(all, t)
	}
	return all
}

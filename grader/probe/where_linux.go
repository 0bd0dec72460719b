package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// askWhere makes a Go program that does not answer print where it is, and end,
// which is how its runtime answers a SIGQUIT. It prints the stacks of what waits and
// of what runs on the thread that the signal reaches, but of no other thread, so the
// signal goes to the thread that computes.
func askWhere(pid int) bool {
	thread := busiest(pid)
	if thread == 0 {
		return false
	}
	return syscall.Tgkill(pid, thread, syscall.SIGQUIT) == nil
}

// busiest returns the thread of a process that has computed longest, one that
// is computing now before one that waits; 0 if there is none to be seen.
func busiest(pid int) int {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	thread, most, runs := 0, -1, false
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		_, after, _ := strings.Cut(string(data[strings.LastIndexByte(string(data), ')')+1:]), " ")
		fields := strings.Fields(after) // of proc_pid_stat(5), from the third on
		if len(fields) < 13 {
			continue
		}
		running := fields[0] == "R"
		ticks, _ := strconv.Atoi(fields[11]) // utime, in clock ticks
		if running && !runs || running == runs && ticks > most {
			most, runs = ticks, running
			thread, _ = strconv.Atoi(filepath.Base(filepath.Dir(file)))
		}
	}
	return thread
}

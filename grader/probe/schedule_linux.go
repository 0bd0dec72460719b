package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// scheduled returns what became of the threads of a session, as far as this can
// be seen.
func scheduled(session int) schedule {
	var sum schedule
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || sessionOf(pid) != session {
			continue
		}
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, file := range files {
			data, _ := os.ReadFile(file) // one that has just ended
			if fields := strings.Fields(string(data)); len(fields) > 1 {
				ran, _ := strconv.ParseInt(fields[0], 10, 64)
				waited, _ := strconv.ParseInt(fields[1], 10, 64)
				sum.ran, sum.waited = sum.ran+time.Duration(ran), sum.waited+time.Duration(waited)
			}
		}
	}
	return sum
}

// sessionOf returns the session of a process; 0 if it cannot be seen.
func sessionOf(pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	text := string(data)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // of proc_pid_stat(5), from the third on
	if len(fields) < 4 {
		return 0
	}
	session, _ := strconv.Atoi(fields[3])
	return session
}

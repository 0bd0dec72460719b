package stint

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// censuses is how often a session is looked at between two looks at all processes, for
// those that are in it.
const censuses = 5

// census knows the processes of a session from look to look.
type census struct {
	turn      int
	processes []int
}

// look returns the threads of a session as they are now.
func (c *census) look(session int) map[int]thread {
	if c.turn%censuses == 0 {
		c.processes = members(session)
	}
	c.turn++
	return threadsOf(c.processes)
}

// members returns the processes of a session, as far as they can be seen.
func members(session int) []int {
	var all []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if f := stat(fmt.Sprintf("/proc/%d/stat", pid)); len(f) > 3 && string(f[3]) == strconv.Itoa(session) {
			all = append(all, pid)
		}
	}
	return all
}

// threadsOf returns the threads of processes, as they are now.
func threadsOf(processes []int) map[int]thread {
	all := map[int]thread{}
	for _, pid := range processes {
		dirs, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
		for _, dir := range dirs {
			data, _ := os.ReadFile(filepath.Join(dir, "schedstat"))
			times, state := bytes.Fields(data), stat(filepath.Join(dir, "stat"))
			if len(times) < 2 || len(state) == 0 { // it has just ended
				continue
			}
			id, _ := strconv.Atoi(filepath.Base(dir))
			ran, _ := strconv.ParseInt(string(times[0]), 10, 64)
			waited, _ := strconv.ParseInt(string(times[1]), 10, 64)
			all[id] = thread{ran: time.Duration(ran), waited: time.Duration(waited), ready: string(state[0]) == "R"}
		}
	}
	return all
}

// stat returns the fields of proc_pid_stat(5) from the third on; none if there is no
// such file.
func stat(file string) [][]byte {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
}

package stint

import (
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// recently is how long ago a thread has run at most that is taken to want a processor
// still. Windows says how long a thread ran, in ticks of 16 ms, and not how long it waited.
const recently = time.Second

// census knows the threads of a session from look to look.
type census struct {
	at      time.Time
	idle    time.Duration // of all processors together
	threads map[int]known
}

// known is a thread of a census.
type known struct {
	thread
	wanted time.Time // when it was last seen to have run
}

// look returns the threads of a session as they are now. A thread that wants a processor
// has waited for as long as it did not run, and no processor was idle.
func (c *census) look(session int) map[int]thread {
	at, idle := time.Now(), idleTime()
	next, all := map[int]known{}, map[int]thread{}
	for id, ran := range threadsOf(session) {
		k, seen := c.threads[id]
		if !seen || ran > k.ran {
			k.wanted = at
		}
		if k.ready = at.Sub(k.wanted) < recently; k.ready && seen {
			k.waited += max(at.Sub(c.at)-(ran-k.ran)-(idle-c.idle), 0)
		}
		k.ran, k.told = ran, true
		next[id], all[id] = k, k.thread
	}
	c.at, c.idle, c.threads = at, idle, next
	return all
}

// idleTime returns how long the processors have had nothing to do, all together.
func idleTime() time.Duration {
	var idle, kernel, user windows.Filetime
	windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemTimes").Call(
		uintptr(unsafe.Pointer(&idle)), uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user)))
	return ticks(int64(idle.HighDateTime)<<32 | int64(idle.LowDateTime))
}

// ticks is a time that Windows counts in steps of 100 ns.
func ticks(n int64) time.Duration { return time.Duration(n) * 100 }

// threadInformation is Windows' SYSTEM_THREAD_INFORMATION.
type threadInformation struct {
	KernelTime, UserTime, CreateTime int64
	WaitTime                         uint32
	StartAddress                     uintptr
	Process, Thread                  uintptr
	Priority, BasePriority           int32
	ContextSwitches                  uint32
	State, WaitReason                uint32
}

// threadsOf returns how long each thread ran of a process, and of all that it has started.
func threadsOf(session int) map[int]time.Duration {
	all, processes := map[int]time.Duration{}, processes()
	members := []uintptr{uintptr(session)}
	for i := 0; i < len(members); i++ {
		for _, p := range processes {
			switch {
			case p.about.UniqueProcessID == members[i]:
				for _, t := range p.threads {
					all[int(t.Thread)] = ticks(t.KernelTime + t.UserTime)
				}
			case p.about.InheritedFromUniqueProcessID == members[i] && !slices.Contains(members, p.about.UniqueProcessID):
				members = append(members, p.about.UniqueProcessID)
			}
		}
	}
	return all
}

// process is what Windows says of a process and its threads.
type process struct {
	about   *windows.SYSTEM_PROCESS_INFORMATION
	threads []threadInformation
}

// processes returns all processes.
func processes() (all []process) {
	room := make([]int64, 64<<10)
	for {
		size, needed := uint32(8*len(room)), uint32(0)
		err := windows.NtQuerySystemInformation(windows.SystemProcessInformation, unsafe.Pointer(&room[0]), size, &needed)
		if err == nil {
			break
		}
		if err != windows.STATUS_INFO_LENGTH_MISMATCH {
			return nil
		}
		room = make([]int64, needed/4)
	}
	for next := unsafe.Pointer(&room[0]); ; {
		about := (*windows.SYSTEM_PROCESS_INFORMATION)(next)
		threads := unsafe.Slice((*threadInformation)(unsafe.Add(next, unsafe.Sizeof(*about))), about.NumberOfThreads)
		all = append(all, process{about, threads})
		if about.NextEntryOffset == 0 {
			return all
		}
		next = unsafe.Add(next, about.NextEntryOffset)
	}
}

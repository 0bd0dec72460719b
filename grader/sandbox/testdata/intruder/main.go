// Command intruder tries ways out of its box and says which are open. It
// is built without the rules that hold submissions: it tries the walls behind.
//
//	intruder NAME,NAME... PID SECRET PRIVATE TCP UDP UNIX TERMINAL NEIGHBOUR FOLDER
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// place is what there is to be reached.
type place struct {
	pid      int    // of the grader
	secret   string // a file of the grader's user that everybody may read
	private  string // one that only they may read
	tcp, udp string
	unix     string
	terminal string // by its name

	neighbour int    // another submission that runs at the same time
	folder    string // that it works in
}

func main() {
	a := os.Args[1:]
	pid, _ := strconv.Atoi(a[1])
	neighbour, _ := strconv.Atoi(a[8])
	p := place{pid, a[2], a[3], a[4], a[5], a[6], a[7], neighbour, a[9]}
	for name := range strings.SplitSeq(a[0], ",") {
		try := attempts()[name]
		if try == nil {
			fmt.Println("there is no attempt", name)
			os.Exit(1)
		}
		if err := try(p); err != nil {
			fmt.Println(name, "held:", err)
			continue
		}
		fmt.Println(name, "through")
	}
}

// attempts are by name; an error says that the wall held.
func attempts() map[string]func(place) error {
	all := map[string]func(place) error{}
	for _, group := range []map[string]func(place) error{files(), others(), neighbours(), system(), resources()} {
		for name, try := range group {
			all[name] = try
		}
	}
	return all
}

func files() map[string]func(place) error {
	return map[string]func(place) error{
		"works": func(place) error { // what every submission may do
			if err := os.WriteFile("own", []byte("x"), 0o644); err != nil {
				return err
			}
			return os.Remove("own")
		},
		"read":    func(p place) error { _, err := os.ReadFile(p.secret); return err },
		"stat":    func(p place) error { _, err := os.Stat(p.secret); return err },
		"private": func(p place) error { _, err := os.ReadFile(p.private); return err },
		"write": func(p place) error {
			f, err := os.OpenFile(p.private, os.O_WRONLY, 0)
			if err == nil {
				f.Close()
			}
			return err
		},
		"chmod":    func(p place) error { return os.Chmod(p.private, 0o600) },
		"environ":  func(p place) error { _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid)); return err },
		"inherits": func(place) error { _, err := syscall.Read(9, make([]byte, 1)); return err },
		"appends":  func(place) error { _, err := syscall.Write(8, []byte("x")); return err },
		"dev-tty": func(place) error {
			f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
			if err == nil {
				_, err = f.WriteString("\a")
			}
			return err
		},
		"types": func(p place) error {
			for _, name := range []string{"/dev/tty", p.terminal} {
				if f, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOCTTY, 0); err == nil && sti(f.Fd()) == nil {
					return nil
				}
			}
			return sti(0)
		},
		"terminal": func(p place) error {
			f, err := os.OpenFile(p.terminal, os.O_WRONLY|syscall.O_NOCTTY, 0)
			if err == nil {
				_, err = f.WriteString("\a")
			}
			return err
		},
	}
}

// sti types a letter into a terminal, as if a person had.
func sti(fd uintptr) error {
	letter := byte('x')
	return failed(syscall.Syscall(syscall.SYS_IOCTL, fd, unix.TIOCSTI, uintptr(unsafe.Pointer(&letter))))
}

func failed(_, _ uintptr, errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

func others() map[string]func(place) error {
	dial := func(network, address string) error {
		c, err := net.DialTimeout(network, address, time.Second)
		if err == nil {
			_, err = c.Write([]byte("x"))
		}
		return err
	}
	return map[string]func(place) error{
		"tcp":      func(p place) error { return dial("tcp", p.tcp) },
		"udp":      func(p place) error { return dial("udp", p.udp) },
		"unix":     func(p place) error { return dial("unix", p.unix) },
		"abstract": func(p place) error { return dial("unix", "@"+p.unix) },
		"kill":     func(p place) error { return syscall.Kill(p.pid, 0) },
		"sigio": func(p place) error { // signals that a descriptor sends for it
			fds := make([]int, 2)
			if err := syscall.Pipe(fds); err != nil {
				return err
			}
			return failed(syscall.Syscall(syscall.SYS_FCNTL, uintptr(fds[0]), syscall.F_SETOWN, uintptr(p.pid)))
		},
		"ptrace": func(p place) error {
			const seize = 0x4206 // which does not stop it
			return failed(syscall.Syscall6(syscall.SYS_PTRACE, seize, uintptr(p.pid), 0, 0, 0, 0))
		},
		"memory-of": func(p place) error {
			f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", p.pid), os.O_RDWR, 0)
			if err == nil {
				f.Close()
			}
			return err
		},
		"process": func(place) error {
			pid, err := fork(0, 0)
			if err == nil {
				syscall.Wait4(pid, nil, 0, nil)
			}
			return err
		},
		"outlives": func(place) error { _, err := fork(5*time.Second, 0); return err },
		"program":  func(place) error { return exec.Command("/bin/true").Run() },
	}
}

// fork makes a process that waits, in a session of its own, and ends.
func fork(wait time.Duration, flags uintptr) (int, error) {
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD)|flags, 0, 0, 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	if pid == 0 {
		syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
		ts := syscall.NsecToTimespec(int64(wait))
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return int(pid), nil
}

// neighbours are attempts on another submission, and on the next one.
func neighbours() map[string]func(place) error {
	messages := []string{"/tmp/stubformer-walls-message", "/var/tmp/stubformer-walls-message", "/dev/shm/stubformer-walls-message"}
	return map[string]func(place) error{
		"waits": func(place) error { // is the neighbour
			if err := os.WriteFile("answers", []byte("x"), 0o600); err != nil {
				return err
			}
			fmt.Println("ready")
			time.Sleep(time.Minute)
			return nil
		},
		"its-memory": func(p place) error {
			f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", p.neighbour), os.O_RDWR, 0)
			if err == nil {
				f.Close()
			}
			return err
		},
		"its-files": func(p place) error {
			file := p.folder + "/answers"
			if _, err := os.ReadFile(file); err == nil {
				return nil
			}
			return os.Remove(file)
		},
		"its-signals": func(p place) error { return syscall.Kill(p.neighbour, 0) },
		"leaves": func(place) error {
			for _, name := range messages {
				if err := os.WriteFile(name, []byte("x"), 0o666); err == nil {
					return nil
				}
			}
			return os.ErrPermission
		},
		"message": func(place) error { // of the one that ran before
			for _, name := range messages {
				if _, err := os.ReadFile(name); err == nil {
					return nil
				}
			}
			return os.ErrNotExist
		},
	}
}

func system() map[string]func(place) error {
	return map[string]func(place) error{
		"mount": func(place) error {
			if err := syscall.Mount("none", ".", "tmpfs", 0, ""); err != nil {
				return err
			}
			return syscall.Unmount(".", 0)
		},
		"namespace": func(place) error { _, err := fork(0, syscall.CLONE_NEWUSER); return err },
		"keyctl":    func(place) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true); return err },
		"bpf": func(place) error {
			attr := [16]uint32{2, 4, 4, 1} // an array of one
			return failed(syscall.Syscall(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr)))
		},
		"io_uring": func(place) error {
			params := [120]byte{}
			return failed(syscall.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0))
		},
		"perf": func(place) error {
			_, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK,
				Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}, 0, -1, -1, 0)
			return err
		},
		"userfaultfd": func(place) error { return failed(syscall.Syscall(unix.SYS_USERFAULTFD, 1, 0, 0)) },
		"machine-code": func(place) error {
			_, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_PRIVATE|syscall.MAP_ANON)
			return err
		},
	}
}

// beyond is more memory, and more of a disk, than the test allows.
const beyond = 160 << 20

func resources() map[string]func(place) error {
	fill := func(name string) error {
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		defer os.Remove(name)
		defer f.Close()
		for written := 0; err == nil && written < beyond; written += 1 << 20 {
			_, err = f.Write(make([]byte, 1<<20))
		}
		return err
	}
	touch := func(flags int) error {
		b, err := syscall.Mmap(-1, 0, beyond, syscall.PROT_READ|syscall.PROT_WRITE, flags|syscall.MAP_ANON)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		return err
	}
	return map[string]func(place) error{
		"memory":        func(place) error { return touch(syscall.MAP_PRIVATE) },
		"shared-memory": func(place) error { return touch(syscall.MAP_SHARED) },
		"dev-zero": func(place) error {
			f, err := os.OpenFile("/dev/zero", os.O_RDWR, 0)
			if err != nil {
				return err
			}
			b, err := syscall.Mmap(int(f.Fd()), 0, beyond, syscall.PROT_READ, syscall.MAP_SHARED)
			if err != nil {
				return err
			}
			if err := syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
				return err
			}
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			return syscall.Munmap(b)
		},
		"memfd": func(place) error {
			fd, err := unix.MemfdCreate("x", 0)
			if err == nil {
				err = syscall.Ftruncate(fd, beyond)
			}
			return err
		},
		"dev-shm": func(place) error { return many("/dev/shm/stubformer-walls-") },
		"file":    func(place) error { return fill("large") },
		"folder":  func(place) error { return many("part-") },
		"tmp":     func(place) error { return many("/tmp/stubformer-walls-") },
		"threads": func(place) error {
			var all []chan bool
			started := make(chan bool)
			for range 1000 {
				end := make(chan bool)
				all = append(all, end)
				go func() {
					runtime.LockOSThread()
					started <- true
					<-end
				}()
			}
			for range all {
				<-started
			}
			return nil
		},
	}
}

// many fills a folder with files of 4 MiB, and waits for somebody to mind.
func many(prefix string) error {
	part := make([]byte, 4<<20)
	for i := range beyond / len(part) {
		name := prefix + strconv.Itoa(i)
		if err := os.WriteFile(name, part, 0o644); err != nil {
			return err
		}
		defer os.Remove(name)
	}
	time.Sleep(500 * time.Millisecond)
	return nil
}

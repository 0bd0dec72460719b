package sandbox

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// needed are the calls of the system that a Go program needs to compute, and to
// read and write files: memory, threads, time, open files. Those that an
// architecture does not have are left out there. Whatever is not among them
// fails, also what a later Linux brings.
var needed = strings.Fields(`
	read write readv writev pread64 pwrite64 lseek close dup dup2 dup3 pipe2
	copy_file_range sendfile splice fsync fdatasync flock ftruncate truncate fadvise64
	open openat access faccessat faccessat2 stat lstat fstat newfstatat statx statfs fstatfs readlink readlinkat
	getdents64 getcwd mkdir mkdirat unlink unlinkat rmdir rename renameat renameat2 umask
	epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd2 poll ppoll select pselect6
	munmap mremap madvise mincore brk
	futex set_robust_list set_tid_address rseq membarrier arch_prctl
	rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending sigaltstack restart_syscall
	sched_yield sched_getaffinity sched_setaffinity getcpu
	nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times
	timer_create timer_settime timer_gettime timer_delete setitimer getitimer
	getrandom getpid gettid getppid getpgid getpgrp getsid getuid geteuid getgid getegid getgroups
	getrlimit getrusage uname sysinfo exit exit_group`)

// errNoFilter says that this system cannot filter system calls.
var errNoFilter = errors.New("system calls cannot be filtered here")

// when is a condition on one argument of a call.
func when(argument uint32, op seccomp.Operation, value uint64) seccomp.Condition {
	return seccomp.Condition{Argument: argument, Operation: op, Value: value}
}

// partly returns the calls that are allowed with some arguments only.
func partly(pid int, once token) []seccomp.NameWithConditions {
	type conditions = seccomp.ArgumentConditions
	const shared, executable, writable = unix.MAP_SHARED, unix.PROT_EXEC, unix.PROT_WRITE
	signals := conditions{when(0, seccomp.Equal, uint64(pid))} // to itself alone
	if pid == 0 {
		signals = conditions{when(0, seccomp.NotEqual, 0)}
	}
	return []seccomp.NameWithConditions{
		{Name: "clone", Conditions: conditions{when(0, seccomp.BitsSet, unix.CLONE_THREAD)}}, // no process
		{Name: "mmap", Conditions: conditions{when(3, seccomp.BitsNotSet, shared), when(2, seccomp.BitsNotSet, executable)}},
		// Files may be mapped to be read; other shared memory escapes the limit.
		{Name: "mmap", Conditions: conditions{when(3, seccomp.BitsNotSet, unix.MAP_ANONYMOUS), when(2, seccomp.BitsNotSet, executable|writable)}},
		{Name: "mprotect", Conditions: conditions{when(2, seccomp.BitsNotSet, executable)}},
		{Name: "tgkill", Conditions: signals},
		{Name: "kill", Conditions: signals},
		{Name: "prlimit64", Conditions: conditions{when(0, seccomp.Equal, 0)}},
		{Name: "prctl", Conditions: conditions{when(0, seccomp.Equal, unix.PR_SET_VMA)}},
		// Not the commands that have signals sent to others.
		{Name: "fcntl", Conditions: conditions{when(1, seccomp.LessOrEqual, unix.F_SETFL)}},
		{Name: "fcntl", Conditions: conditions{when(1, seccomp.Equal, unix.F_DUPFD_CLOEXEC)}},
		{Name: "execveat", Conditions: conditions{when(5, seccomp.Equal, uint64(once))}},
	}
}

// token is what execveat must be called with, in an argument that the system itself
// does not look at, so that the filter lets it through. The program that knows
// it is gone as soon as it has become the command.
type token uint64

func newToken() (token, error) {
	var b [8]byte
	_, err := rand.Read(b[:])
	return token(binary.NativeEndian.Uint64(b[:])), err
}

// rules returns what a command that is alone may ask of the system.
func rules(pid int, once token, more ...string) (seccomp.Policy, error) {
	own, err := arch.GetInfo("")
	if err != nil {
		return seccomp.Policy{}, fmt.Errorf("%w: %w", errNoFilter, err)
	}
	known := slices.DeleteFunc(append(more, needed...), func(name string) bool {
		_, ok := own.SyscallNames[name]
		return !ok
	})
	return seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{
		{Names: known, NamesWithCondtions: partly(pid, once), Action: seccomp.ActionAllow},
	}}, nil
}

// becomeAlone filters the calls of this thread, which must not gain privileges
// any more, and becomes the command. It comes back only with an error.
func becomeAlone(program int, command []string) error {
	once, err := newToken()
	if err != nil {
		return err
	}
	if err := filter(os.Getpid(), once); err != nil {
		return err
	}
	return execute(program, command, once)
}

// execute has an open program take the place of this one: whoever has another root
// folder now, or is another user, may not find its path any more.
func execute(program int, command []string, once token) error {
	path := [1]byte{}
	argv, err := syscall.SlicePtrFromStrings(command)
	if err != nil {
		return err
	}
	env, err := syscall.SlicePtrFromStrings(os.Environ())
	if err != nil {
		return err
	}
	_, _, errno := syscall.RawSyscall6(unix.SYS_EXECVEAT, uintptr(program), uintptr(unsafe.Pointer(&path)),
		uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&env[0])), unix.AT_EMPTY_PATH, uintptr(once))
	return errno
}

func filter(pid int, once token) error {
	policy, err := rules(pid, once)
	if err != nil {
		return err
	}
	if err := seccomp.LoadFilter(seccomp.Filter{Policy: policy}); err != nil {
		return fmt.Errorf("%w: %w", errNoFilter, err)
	}
	return nil
}

// withFilter adds to a call of bwrap, whose options end at an index, that it
// filters the system calls of the command. What it starts may become another
// program: there is none in its box but itself.
func withFilter(command []string, end int) ([]string, error) {
	f, err := filterFile()
	if err != nil {
		return nil, err
	}
	return slices.Insert(command, end, "--seccomp", strconv.Itoa(int(f.Fd()))), nil
}

// filterFile returns the filter as a file that bwrap can read.
func filterFile() (*os.File, error) {
	policy, err := rules(0, 0, "execve", "wait4") // its first process is filtered too, and waits
	if err != nil {
		return nil, err
	}
	policy.Syscalls[0].NamesWithCondtions = slices.DeleteFunc(policy.Syscalls[0].NamesWithCondtions,
		func(c seccomp.NameWithConditions) bool { return c.Name == "execveat" })
	program, err := policy.Assemble()
	if err != nil {
		return nil, err
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("filter", 0) // not closed when this process becomes another
	if err != nil {
		return nil, fmt.Errorf("the filter cannot be handed on: %w", err)
	}
	f := os.NewFile(uintptr(fd), "filter")
	if err := binary.Write(f, binary.NativeEndian, raw); err != nil {
		return nil, err
	}
	_, err = f.Seek(0, 0)
	return f, err
}

package sandbox_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stubformer/stubformer/grader/sandbox"
)

// TestMain lets the test binary be the helper of the sandbox, and the program
// in it.
func TestMain(m *testing.M) {
	helper = sandbox.Main()
	if name := os.Getenv("ESCAPE"); name != "" {
		fmt.Println(escapes[name](os.Args[1:]))
		os.Exit(0)
	}
	if terminal := os.Getenv("WALLS"); terminal != "" {
		if err := measure(terminal); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var helper sandbox.Helper

// outcome says how an attempt ended.
func outcome(err error) string {
	if err != nil {
		return "held: " + err.Error()
	}
	return "escaped"
}

// escapes are attempts to get out of the box, by name.
var escapes = map[string]func(args []string) string{
	"read": func(args []string) string {
		_, err := os.ReadFile(args[0])
		return outcome(err)
	},
	"list": func(args []string) string {
		_, err := os.ReadDir(args[0])
		return outcome(err)
	},
	"write": func(args []string) string { return outcome(os.WriteFile(args[0], []byte("x"), 0o644)) },
	"tcp": func(args []string) string {
		_, err := net.DialTimeout("tcp", args[0], time.Second)
		return outcome(err)
	},
	"udp": func(args []string) string {
		c, err := net.Dial("udp", args[0])
		if err == nil {
			_, err = c.Write([]byte("hello"))
		}
		return outcome(err)
	},
	"unix socket": func(args []string) string {
		_, err := net.Dial("unix", "@"+args[0])
		return outcome(err)
	},
	"kill": func(args []string) string {
		pid, _ := strconv.Atoi(args[0])
		return outcome(syscall.Kill(pid, 0))
	},
	"ptrace": func(args []string) string {
		pid, _ := strconv.Atoi(args[0])
		return outcome(syscall.PtraceAttach(pid))
	},
	"fork": func(args []string) string {
		started := 0
		for range 400 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = []string{"ESCAPE=sleep"}
			if err := cmd.Start(); err != nil {
				return outcome(fmt.Errorf("after %d: %w", started, err))
			}
			started++
		}
		return outcome(nil)
	},
	"sleep": func([]string) string { time.Sleep(time.Minute); return "" },
	"detach": func(args []string) string {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{"ESCAPE=sleep", "MARK=" + args[0]}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return outcome(cmd.Start())
	},
	"memory": func([]string) string {
		var held [][]byte
		for range 40 {
			b := make([]byte, 64<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			held = append(held, b)
		}
		return outcome(nil) + fmt.Sprint(len(held))
	},
	"large file": func(args []string) string {
		f, err := os.Create("large")
		for err == nil {
			_, err = f.Write(make([]byte, 1<<20))
		}
		if errors.Is(err, syscall.EFBIG) {
			return outcome(err)
		}
		return "escaped: " + err.Error()
	},
	"many files": func([]string) string {
		var open []*os.File
		for range 1000 {
			f, err := os.Open("/dev/null")
			if err != nil {
				return outcome(err)
			}
			open = append(open, f)
		}
		return outcome(nil) + fmt.Sprint(len(open))
	},
	"few users": func([]string) string { // there are where this is tried
		b, err := sandbox.Open(helper, sandbox.Limits)
		if err != nil {
			return err.Error()
		}
		s, err := b.Stranger()
		if err != nil {
			return err.Error()
		}
		defer s.Leave()
		return fmt.Sprintf("%s: user %t", b.Text(), s != nil)
	},
	"user":  func([]string) string { return "user " + strconv.Itoa(os.Getuid()) },
	"works": func([]string) string { return outcome(os.WriteFile("mine", []byte("x"), 0o644)) },
}

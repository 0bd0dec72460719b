package probe

import (
	"os"
	"strconv"
	"syscall"

	"github.com/stubformer/stubformer/grader/lang"
)

const shell = "/bin/sh"

// limited returns the command that sets the memory limit and then becomes c, so
// that the limit holds before c's first instruction. RLIMIT_AS would not do: Go
// reserves far more address space than it uses.
func limited(c Command, memory int64) (path string, args []string) {
	if memory <= 0 || !hasShell() {
		return c.Path, c.Args
	}
	var own syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &own) == nil && own.Max < uint64(memory) {
		memory = int64(own.Max) // nobody can raise that
	}
	script := "ulimit -d " + strconv.FormatInt(memory>>10, 10) + ` && ulimit -c 0 && exec "$0" "$@"`
	return shell, append([]string{"-c", script, c.Path}, c.Args...)
}

func memoryCapability() Capability {
	name := lang.T("memory limit")
	if !hasShell() {
		return Capability{name, false, lang.T("there is no %s to set it with; Go's own soft limit applies (GOMEMLIMIT)", shell)}
	}
	return Capability{name, true, lang.T("%d MiB (RLIMIT_DATA, set before the program starts)", DefaultLimits().Memory>>20)}
}

func hasShell() bool {
	_, err := os.Stat(shell)
	return err == nil
}

package probe

import (
	"syscall"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
)

// allowance is a limit of the shell, and how much right programs may need of it.
type allowance struct {
	command  string
	resource int
	least    uint64
}

// allowances returns the limits of address space, of which Go reserves more than a GiB
// before it uses any, and of data.
func allowances() []allowance {
	return []allowance{{"ulimit -v", syscall.RLIMIT_AS, 5 << 29}, {"ulimit -d", syscall.RLIMIT_DATA, 1 << 30}}
}

// Cramped says which limit of the shell leaves programs too little room, if one does.
func Cramped() error {
	for _, r := range allowances() {
		var own syscall.Rlimit
		if syscall.Getrlimit(r.resource, &own) == nil && own.Cur < r.least {
			return &scratch.MachineError{Err: lang.Errorf("the shell allows a program %d MiB (%s), and right answers may need %d; say `%s unlimited` and try again, or ask whoever looks after this machine", own.Cur>>20, r.command, r.least>>20, r.command)}
		}
	}
	return nil
}

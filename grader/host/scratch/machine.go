package scratch

import "github.com/stubformer/stubformer/grader/lang"

// MachineError says what of this machine, or of the shell, keeps programs from being
// built and run.
type MachineError struct{ Err error }

func (e *MachineError) Error() string { return e.Err.Error() }

// In says the error in the language of p.
func (e *MachineError) In(p lang.Printer) string { return p.Error(e.Err) }

func (e *MachineError) Unwrap() error { return e.Err }

package terminal

import (
	"os"
	"sync"
)

// Output is a program's standard output, which remembers if something could not be
// written there: most commands write a line and go on.
type Output struct {
	to *os.File

	mu  sync.Mutex
	err error
}

// NewOutput makes an Output of a file.
func NewOutput(to *os.File) *Output { return &Output{to: to} }

// Write writes to the file.
func (o *Output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Fd returns the file's descriptor.
func (o *Output) Fd() uintptr { return o.to.Fd() }

// Err returns why something could not be written, or nil.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

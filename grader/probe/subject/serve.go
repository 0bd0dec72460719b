//go:build stubformer_probe

package subject

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/stubformer/stubformer/reference/wire"
)

const (
	// maxStack ends an endless recursion soon: Go's own limit is 1 GB.
	maxStack = 64 << 20
	// gcPercent lets the collector run seldom: a program that is graded lives for a second,
	// and of that it took a fifth.
	gcPercent = 400
)

// Test answers the grader's requests, one at a time, until the wire closes, and
// ends the process: this is the probe.
func Test(t *testing.T, step string, fns Functions) {
	debug.SetMaxStack(maxStack)
	debug.SetGCPercent(gcPercent)
	if err := serve(fns); err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(3)
	}
	os.Exit(0)
}

func serve(fns Functions) error {
	in, err := open("STUBFORMER_PROBE_IN")
	if err != nil {
		return err
	}
	out, err := open("STUBFORMER_PROBE_OUT")
	if err != nil {
		return err
	}
	r, w := bufio.NewReader(in), bufio.NewWriter(out)
	if err := send(w, wire.Message{Protocol: wire.Protocol}); err != nil {
		return err
	}
	host := NewHost(fns)
	for {
		request, err := wire.Read(r, wire.DefaultLimits())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		reply := host.Answer(request.Call, request.Values)
		reply.ID = request.ID
		if err := send(w, reply); err != nil {
			return err
		}
	}
}

func send(w *bufio.Writer, m wire.Message) error {
	if err := wire.Write(w, m); err != nil {
		return err
	}
	return w.Flush()
}

// open returns the descriptor (on Windows the handle) that an environment
// variable names, kept from any process that the student's code may start.
func open(variable string) (*os.File, error) {
	n, err := strconv.ParseUint(os.Getenv(variable), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("this program is started by the grader: %s is not a descriptor", variable)
	}
	os.Unsetenv(variable)
	closeOnExec(uintptr(n))
	return os.NewFile(uintptr(n), variable), nil
}

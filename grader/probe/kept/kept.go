// Package kept keeps the smallest call that shows what is wrong with a step in a file, so
// that the step's own test can make it again, under a debugger.
package kept

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// Call is a call of a function, and the result that was wrong as it should be.
type Call struct {
	Function string
	In, Want wire.Values
	Told     string // what was said about it
}

// Path is where the call of a step is kept, below the root of the kit.
func Path(root, step string) string { return filepath.Join(root, ".stubformer", "smallest", step) }

// Write keeps a call. A nil one removes what is kept.
func Write(root, step string, c *Call) error {
	path := Path(root, step)
	if c == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return whole.Replace(path, func(w io.Writer) error {
		if err := wire.Write(w, wire.Message{Call: c.Function, Values: c.In}); err != nil {
			return err
		}
		return wire.Write(w, wire.Message{Call: c.Function, Message: c.Told, Values: c.Want})
	})
}

// Read returns the call that is kept of a step, nil if there is none.
func Read(root, step string) (*Call, error) {
	file, err := os.Open(Path(root, step))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := bufio.NewReader(file)
	asked, err := wire.Read(r, wire.DefaultLimits())
	if err != nil {
		return nil, damaged(file.Name(), err)
	}
	answer, err := wire.Read(r, wire.DefaultLimits())
	if err != nil {
		return nil, damaged(file.Name(), err)
	}
	return &Call{Function: asked.Call, In: asked.Values, Want: answer.Values, Told: answer.Message}, nil
}

// damaged says what to do about a file that cannot be read.
func damaged(path string, err error) error {
	return lang.Errorf("%s is damaged: %w. Remove it, and grade the step again", path, err)
}

package subject

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing/iotest"

	"github.com/stubformer/stubformer/reference/wire"
)

// The arguments that say how a file of a call behaves: which one, in what way, and after how
// many bytes it fails.
const (
	file     = "file"
	fileWay  = "file_way"
	fileEnds = "file_ends"
)

// The ways of files. One that fails does so with an error that means nothing to a reader of
// bytes, or with one that io.ReadFull has another meaning for.
const (
	inSingleBytes = "single bytes"
	withEOF       = "the last bytes with io.EOF"
	fails         = "os.ErrClosed"
	unexpected    = "io.ErrUnexpectedEOF"
)

// Reader returns a reader of the bytes of an argument, which behaves as the call asks.
func (a Args) Reader(name string) io.Reader {
	data := a.Bytes(name)
	if !a.Has(file) || a.Text(file) != name {
		return bytes.NewReader(data)
	}
	switch a.Text(fileWay) {
	case inSingleBytes:
		return iotest.OneByteReader(bytes.NewReader(data))
	case withEOF:
		return iotest.DataErrReader(bytes.NewReader(data))
	}
	return io.MultiReader(bytes.NewReader(data[:a.Int(fileEnds)]), iotest.ErrReader(a.fileError()))
}

// Writer returns a writer to a buffer, which behaves as the call asks of the file of a name.
func (a Args) Writer(name string, to *bytes.Buffer) io.Writer {
	if !a.Has(file) || a.Text(file) != name {
		return to
	}
	return &shortWriter{to: to, left: a.Int(fileEnds), err: a.fileError()}
}

func (a Args) fileError() error {
	if a.Text(fileWay) == unexpected {
		return io.ErrUnexpectedEOF
	}
	return os.ErrClosed
}

// shortWriter fails after so many bytes.
type shortWriter struct {
	to   *bytes.Buffer
	left int
	err  error
}

func (w *shortWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.to.Write(p[:n])
	w.left -= n
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}

// Broke reports whether the call had a file that fails, and if so the answer: 1 if the error
// that the call returned is the file's, 2 if it is another one, 0 if there is none.
func (a Args) Broke(err error) (wire.Values, bool) {
	if !a.Has(fileEnds) {
		return nil, false
	}
	came := 0
	switch {
	case errors.Is(err, a.fileError()):
		came = 1
	case err != nil:
		came = 2
	}
	return wire.Values{"came": wire.Int(came)}, true
}

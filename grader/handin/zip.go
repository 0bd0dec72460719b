package handin

import (
	"archive/zip"
	"compress/bzip2"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// methods are how a file in a .zip may be compressed, by number. Those that
// cannot be read here are nil.
func methods() map[uint16]struct {
	name string
	open func(io.Reader) (io.Reader, error)
} {
	type method = struct {
		name string
		open func(io.Reader) (io.Reader, error)
	}
	return map[uint16]method{
		1: {"Shrink", nil}, 6: {"Implode", nil}, 9: {"Deflate64", nil}, 14: {"LZMA", nil}, 98: {"PPMd", nil},
		12: {"bzip2", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
		93: {"Zstandard", newZstd},
		95: {"xz", newXZ},
	}
}

func (c *collector) readZip(f file, size int64) error {
	z, err := zip.NewReader(f, size)
	if errors.Is(err, zip.ErrInsecurePath) {
		err = nil // add looks at every path
	}
	if err != nil {
		return refuse("it is not a .zip file that can be read: %v", err)
	}
	for number, m := range methods() {
		if m.open != nil {
			z.RegisterDecompressor(number, func(r io.Reader) io.ReadCloser { return &lazily{open: m.open, packed: r} })
		}
	}
	for _, e := range z.File[:min(len(z.File), maxEntries)] {
		c.lookPacked(e.Name, e.Mode().Type())
	}
	for _, e := range z.File {
		if err := c.addPacked(e.Name, e.Mode().Type(), func() (io.ReadCloser, error) { return openZipped(e) }); err != nil {
			return err
		}
	}
	return nil
}

// openZipped opens a file in a .zip, or says by name what it is packed with.
func openZipped(e *zip.File) (io.ReadCloser, error) {
	const encrypted = 1
	if e.Flags&encrypted != 0 {
		return nil, refuse("%q in it is encrypted; want a .zip without a password", e.Name)
	}
	if m := methods()[e.Method]; m.name != "" && m.open == nil {
		return nil, refuse("%q in it is packed with %s, which cannot be read here; want an ordinary .zip file", e.Name, m.name)
	}
	return e.Open()
}

// lazily opens a decompressor when it is first read, so that it can fail.
type lazily struct {
	open     func(io.Reader) (io.Reader, error)
	packed   io.Reader
	unpacked io.Reader
}

func (l *lazily) Read(p []byte) (n int, err error) {
	if l.unpacked == nil {
		if l.unpacked, err = l.open(l.packed); err != nil {
			return 0, err
		}
	}
	return l.unpacked.Read(p)
}

func (l *lazily) Close() error {
	if z, ok := l.unpacked.(*zstd.Decoder); ok {
		z.Close()
	}
	return nil
}

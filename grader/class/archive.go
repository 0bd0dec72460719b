package class

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
)

// archives are the endings of the files that hold a submission and are read.
var archives = []string{".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tar.zst"}

// unread are those of files that hold one and cannot be read here.
var unread = []string{".7z", ".rar", ".gz", ".xz", ".bz2", ".zst", ".lzma", ".tar.z"}

// maxWindow bounds the memory that unpacking an archive may ask for, in bytes.
const maxWindow = 64 << 20

// readArchive reads an archive by its ending.
func (c *collector) readArchive(f *os.File, size int64, ending string) error {
	if size > maxUnpacked {
		return refuse("it is larger than %d MiB", maxUnpacked>>20)
	}
	if ending == ".zip" {
		return c.readZip(f, size)
	}
	unpacked, err := unpack(bufio.NewReader(f), ending)
	if err != nil {
		return refuse("it is not a %s file that can be read: %v", ending, err)
	}
	return c.readTar(unpacked)
}

// unpack returns a reader of what a compressed file holds.
func unpack(r *bufio.Reader, ending string) (io.Reader, error) {
	switch ending {
	case ".tar.gz", ".tgz":
		return gzip.NewReader(r)
	case ".tar.bz2":
		return bzip2.NewReader(r), nil
	case ".tar.zst":
		return newZstd(r)
	case ".tar.xz", ".txz":
		return newXZ(r)
	}
	return r, nil
}

func newZstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
}

// newXZ returns a reader of an .xz file, none of whose blocks gets a
// dictionary larger than maxWindow.
func newXZ(r io.Reader) (io.Reader, error) { return xz.NewReader(r, maxWindow) }

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

func (c *collector) readZip(f *os.File, size int64) error {
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

func (c *collector) readTar(r io.Reader) error {
	limited := &io.LimitedReader{R: r, N: maxUnpacked}
	t := tar.NewReader(limited)
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return nil
		case limited.N <= 0:
			return refuse("it unpacks to more than %d MiB", maxUnpacked>>20)
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return refuse("it is not a .tar file that can be read: %v", err)
		}
		mode := h.FileInfo().Mode().Type()
		if h.Typeflag == tar.TypeLink {
			mode = fs.ModeIrregular // another name of a file that may lie anywhere
		}
		err = c.addPacked(h.Name, mode, func() (io.ReadCloser, error) { return io.NopCloser(t), nil })
		if err != nil && limited.N <= 0 {
			return refuse("it unpacks to more than %d MiB", maxUnpacked>>20)
		}
		if err != nil {
			return err
		}
	}
}

// addPacked adds an entry of an archive, whose path and content are not
// trusted.
func (c *collector) addPacked(name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error {
	slashed := strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(slashed, "/") || len(slashed) > 1 && slashed[1] == ':' {
		return refuse("it holds the absolute path %q", name)
	}
	for part := range strings.SplitSeq(slashed, "/") {
		if part == ".." {
			return refuse("it holds the path %q, which leads out of it", name)
		}
	}
	err := c.add(path.Clean(slashed), mode, open)
	var refused *refusal
	if err != nil && !errors.As(err, &refused) {
		return refuse("%q in it cannot be unpacked: %v", name, err)
	}
	return err
}

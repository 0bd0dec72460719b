package handin

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"

	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// Archives returns the endings of the files that are unpacked.
func Archives() []string {
	return []string{".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tbz", ".tar.zst", ".tzst"}
}

// Unread returns the endings of packed files that cannot be read here, unless they are
// something else.
func Unread() []string {
	return []string{".7z", ".rar", ".gz", ".xz", ".bz2", ".zst", ".lzma", ".tar.z"}
}

// Unreadable says that a file of such an ending cannot be read.
func Unreadable(name string) string {
	return fmt.Sprintf("a %s file cannot be read here; want a folder, .zip or .tar.gz", strings.ToLower(Ending(name, Unread())))
}

// Ending returns the longest of the endings that a file's name has, as it is
// written there, "" for none.
func Ending(name string, endings []string) string {
	longest := ""
	for _, e := range endings {
		if len(name) > len(e) && strings.EqualFold(name[len(name)-len(e):], e) && len(e) > len(longest) {
			longest = name[len(name)-len(e):]
		}
	}
	return longest
}

// maxWindow bounds the memory that unpacking an archive may ask for, in bytes.
const maxWindow = 64 << 20

// file is an archive in a file or in memory.
type file interface {
	io.Reader
	io.ReaderAt
}

// nested reads an archive inside of the submission. What is wrong with it is
// noted, and step folders from it are refused; the rest of the submission counts.
func (c *collector) nested(name string, open opener) error {
	shown := untrusted.Line(name, untrusted.MaxName)
	if len(c.within) == maxNesting || strings.Count(name, "/") >= maxDepth {
		c.spoil(name, "it lies too deep to be opened")
		return nil
	}
	if c.archives++; c.archives > maxArchives {
		return exceeds("it holds more than %d archives; %s is one too many", maxArchives, shown)
	}
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxHeld-c.held+1))
	if err != nil {
		return err
	}
	if c.held += int64(len(data)); c.held > maxHeld {
		return exceeds("%s in it: the archives inside are larger than %d MiB together", shown, maxHeld>>20)
	}
	c.within = append(c.within, name)
	c.opened[name]++
	err = c.readArchive(bytes.NewReader(data), int64(len(data)), strings.ToLower(Ending(name, Archives())))
	c.within = c.within[:len(c.within)-1]
	var why *refusal
	switch {
	case !errors.As(err, &why):
		return err
	case why.bound:
		return exceeds("%s in it: %s", shown, why.reason)
	}
	c.spoil(name, why.reason)
	return nil
}

// readArchive reads an archive by how it begins or, where that says nothing, by its
// ending; "" for none.
func (c *collector) readArchive(f file, size int64, ending string) error {
	defer func(outside map[string]bool) { c.dirs = outside }(c.dirs)
	c.dirs = map[string]bool{}
	if size > maxUnpacked {
		return exceeds("it is larger than %d MiB", maxUnpacked>>20)
	}
	if kind := sniff(f); kind != "" {
		ending = kind
	}
	switch {
	case ending == ".zip":
		return c.readZip(f, size)
	case ending == "":
		return refuse("it is neither a folder nor an archive")
	case Ending("x"+ending, Unread()) == ending:
		return refuse("%s", Unreadable("x"+ending))
	}
	unpacked, err := unpack(bufio.NewReader(f), ending)
	if err != nil {
		return refuse("it is not a %s file that can be read: %v", ending, err)
	}
	c.lookTar(io.NewSectionReader(f, 0, size), ending)
	return c.readTar(unpacked, ending != ".tar")
}

// unpack returns a reader of what a compressed file holds.
func unpack(r *bufio.Reader, ending string) (io.Reader, error) {
	switch ending {
	case ".tar.gz", ".tgz":
		return gzip.NewReader(r)
	case ".tar.bz2", ".tbz2", ".tbz":
		return bzip2.NewReader(r), nil
	case ".tar.zst", ".tzst":
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

// metered reads until nothing is left of what may be unpacked.
type metered struct {
	io.Reader
	left *int64
}

func (m *metered) Read(p []byte) (int, error) {
	if *m.left <= 0 {
		return 0, io.EOF
	}
	n, err := m.Reader.Read(p[:min(int64(len(p)), *m.left)])
	*m.left -= int64(n)
	return n, err
}

// readTar reads a tar, or what was compressed as if it were one.
func (c *collector) readTar(r io.Reader, compressed bool) error {
	noTar := refuse("what is compressed in it is no .tar archive: hand in the files themselves, a .zip or a .tar.gz")
	const block = 512 // a tar has no less
	unpacked := bufio.NewReaderSize(&metered{r, &c.left}, block)
	if head, err := unpacked.Peek(block); compressed && err == io.EOF && len(head) > 0 {
		return noTar
	}
	t := tar.NewReader(unpacked)
	for first := true; ; first = false {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return nil
		case c.left <= 0:
			return exceeds("it unpacks to more than %d MiB", maxUnpacked>>20)
		case compressed && first && errors.Is(err, tar.ErrHeader):
			return noTar
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return refuse("it is not a .tar file that can be read: %v", err)
		}
		mode := h.FileInfo().Mode().Type()
		if h.Typeflag == tar.TypeLink {
			mode = fs.ModeIrregular // another name of a file that may lie anywhere
		}
		err = c.addPacked(h.Name, mode, opens(t))
		if err != nil && c.left <= 0 {
			return exceeds("it unpacks to more than %d MiB", maxUnpacked>>20)
		}
		if err != nil {
			return err
		}
	}
}

// lookTar looks at the entries of a tar, as far as they can be read: what is wrong
// with them is told when they are added.
func (c *collector) lookTar(packed io.Reader, ending string) {
	unpacked, err := unpack(bufio.NewReader(packed), ending)
	if err != nil {
		return
	}
	left := c.left
	t := tar.NewReader(&metered{unpacked, &left})
	for range maxEntries {
		h, err := t.Next()
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return
		}
		c.lookPacked(h.Name, h.FileInfo().Mode().Type())
	}
}

// packedPath is the path of an entry of an archive, which is not trusted, in the
// submission.
func (c *collector) packedPath(name string) (string, error) {
	slashed := strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(slashed, "/") || drive(slashed) {
		return "", refuse("it holds the absolute path %q", name)
	}
	if slices.Contains(strings.Split(slashed, "/"), "..") {
		return "", refuse("it holds the path %q, which leads out of it", name)
	}
	at := ""
	if n := len(c.within); n > 0 {
		at = c.within[n-1]
	}
	return path.Join(at, path.Clean(slashed)), nil
}

// drive reports whether a path begins with a drive of Windows. A colon elsewhere
// is part of a name, as in "1: notes".
func drive(slashed string) bool {
	if len(slashed) < len("c:/") {
		return false
	}
	letter := slashed[0] | 0x20
	return 'a' <= letter && letter <= 'z' && slashed[1:3] == ":/"
}

func (c *collector) lookPacked(name string, mode fs.FileMode) {
	if at, err := c.packedPath(name); err == nil {
		c.look(at, mode)
	}
}

// addPacked adds an entry of an archive, whose path and content are not trusted.
// Some programs write a folder as an empty file, with a backslash at its end or
// with nothing but its name.
func (c *collector) addPacked(name string, mode fs.FileMode, open opener) error {
	at, err := c.packedPath(name)
	if err != nil {
		return err
	}
	if mode.IsRegular() && (strings.HasSuffix(name, `\`) || c.dirs[at]) {
		mode = fs.ModeDir
	}
	err = c.add(at, mode, open)
	var refused *refusal
	if err != nil && !errors.As(err, &refused) {
		return refuse("%q in it cannot be unpacked: %v", name, err)
	}
	return err
}

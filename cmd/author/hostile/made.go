package hostile

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/stubformer/stubformer/grader/verdict"
)

const (
	step   = "step02"
	folder = "step02_linear"
	file   = folder + "/linear.go"
	clause = "package linear\n"
)

// entry is one entry of an archive that is to be made.
type entry struct {
	name, link string
	kind       byte // of tar; 0 for a plain file
	data       io.Reader
}

func plain(name, text string) entry { return entry{name: name, data: strings.NewReader(text)} }

// made returns the cases that cannot lie in a repository.
func made() []Case {
	many := func(n int, format string) []entry {
		var all []entry
		for i := range n {
			all = append(all, plain(fmt.Sprintf(format, i), clause))
		}
		return all
	}
	zeros := func(n int64) io.Reader { return io.LimitReader(zero{}, n) }
	return []Case{
		packed("tar-climbs-out", ".tar", "which leads out of it", plain("../../../tmp/stubformer-evil.go", clause), plain(file, clause)),
		packed("tar-absolute-path", ".tar", "absolute path", plain("/tmp/stubformer-evil.go", clause), plain(file, clause)),
		packed("zip-climbs-out", ".zip", "which leads out of it", plain(folder+"/../../evil.go", clause)),
		packed("zip-absolute-path", ".zip", "absolute path", plain("/etc/cron.d/evil", clause)),
		packed("zip-windows-path", ".zip", "absolute path", plain(`C:\Users\evil.go`, clause)),
		packed("zip-climbs-out-backwards", ".zip", "which leads out of it", plain(folder+`\..\..\evil.go`, clause)),
		packed("tar-linked-file", ".tar.gz", "it is a symbolic link", entry{name: file, kind: tar.TypeSymlink, link: "/etc/passwd"}),
		packed("tar-hard-link", ".tar", "it is not a plain file", entry{name: file, kind: tar.TypeLink, link: "/etc/passwd"}),
		packed("tar-linked-folder", ".tar", "it is a link or a file; want a folder", entry{name: folder, kind: tar.TypeSymlink, link: "../../solutions/" + folder}),
		packed("tar-device", ".tar", "it is not a plain file", entry{name: file, kind: tar.TypeChar}),
		packed("tar-pipe", ".tar", "it is not a plain file", entry{name: file, kind: tar.TypeFifo}),
		packed("zip-bomb", ".zip", "it is larger than 1024 KiB", entry{name: file, data: zeros(200 << 20)}),
		packed("tar-gz-bomb", ".tar.gz", "it unpacks to more than 256 MiB", entry{name: "README", data: zeros(300 << 20)}),
		packed("hundred-megabyte-source", ".tar", "it is larger than 1024 KiB", entry{name: file, data: zeros(100 << 20)}),
		packed("very-many-files", ".zip", "it holds more than 20000 files", many(20_001, "data/%d.txt")...),
		packed("very-many-sources", ".tar", "it holds more than 100 Go files", many(101, folder+"/f%d.go")...),
		packed("sources-large-together", ".tar", "larger than 16 MiB together", large(17)...),
		packed("name-with-a-newline", ".tar", "a file cannot be called", plain(folder+"/a\nPASS 100\n.go", clause)),
		packed("name-that-is-not-utf-8", ".tar", "a file cannot be called", plain(folder+"/\xff\xfe.go", clause)),
		packed("name-with-an-escape", ".zip", "a file cannot be called", plain(folder+"/\x1b[2J.go", clause)),
		twice(),
		packed("names-that-collide", ".tar", "is there too", plain(file, clause), plain(folder+"/LINEAR.go", clause)),
		packed("two-submissions-in-one", ".zip", "in more than one place", plain("a/"+file, clause), plain("b/"+file, clause+"// Or this?\n")),
		packed("nothing-in-it", ".zip", "there is no step folder in it", plain("README.md", "")),
		packed("a-folder-called-go", ".tar", "it is a folder", entry{name: file + "/", kind: tar.TypeDir}),
		packed("archives-in-an-archive", ".tar", "archives inside are larger than 64 MiB together", entry{name: "inner.zip", data: zeros(65 << 20)}),
		damaged("truncated-zip", ".zip", "it is not a .zip file that can be read", "PK\x03\x04 and no more"),
		damaged("truncated-tar-gz", ".tar.gz", "it is not a .tar file that can be read", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"),
		damaged("text-called-tar", ".tar", "it is not a .tar file that can be read", strings.Repeat("full marks, please\n", 100)),
		linked("linked-file", "it is a symbolic link", file, "/etc/passwd"),
		linked("linked-folder", "it is a link or a file", folder, "/"),
		packed("file-name-of-400-bytes", ".tar", "its name is longer than 100 bytes", plain(folder+"/"+strings.Repeat("x", 397)+".go", clause)),
		doesNotCompile("blames-the-cache", func() (string, error) {
			cache, err := exec.Command("go", "env", "GOCACHE").Output()
			return strings.TrimSpace(string(cache)) + ": read-only file system", err
		}),
		doesNotCompile("very-long-compile-error", func() (string, error) { return strings.Repeat("损", 100_000), nil }),
		packed("name-turned-around", ".tar", "a file cannot be called", plain(folder+"/\u202eog.raeniL\u202c.go", clause)),
		damaged("not-a-tar-xz", ".tar.xz", "it is not a .tar.xz file that can be read", "\xfd7zXZ\x00 and no more"),
		damaged("seven-zip", ".7z", "a .7z file cannot be read here", "7z\xbc\xaf\x27\x1c"),
		damaged("rar", ".rar", "a .rar file cannot be read here", "Rar!"),
		linkedItself("link-to-nowhere", "it is a link that leads nowhere", "nowhere"),
		linkedItself("link-to-itself", "it is a link that leads nowhere", "made-link-to-itself"),
		endless(),
		byHeart(),
	}
}

// refused is a case in which nothing is built.
func refused(name, says string) Case {
	return Case{Name: "made-" + name, Step: step, Verdicts: []verdict.Kind{verdict.Refused}, Says: says}
}

func packed(name, ending, says string, entries ...entry) Case {
	c := refused(name, says)
	c.write = func(_, path string) (string, error) {
		return path + ending, writeArchive(path+ending, ending, entries)
	}
	return c
}

// twice is an archive in which a path comes twice. The last file counts, as when the archive
// is unpacked, and it declares nothing.
func twice() Case {
	c := packed("same-name-twice", ".zip", "your code has no New", plain(file, clause), plain(file, clause))
	c.Verdicts = []verdict.Kind{verdict.CompileError}
	return c
}

func damaged(name, ending, says, content string) Case {
	c := refused(name, says)
	c.write = func(_, path string) (string, error) {
		return path + ending, os.WriteFile(path+ending, []byte(content), 0o644)
	}
	return c
}

func linked(name, says, link, target string) Case {
	c := refused(name, says)
	c.write = func(_, path string) (string, error) {
		at := filepath.Join(path, filepath.FromSlash(link))
		return path, errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink(target, at))
	}
	return c
}

// linkedItself is a submission that is a link as a whole.
func linkedItself(name, says, target string) Case {
	c := refused(name, says)
	c.write = func(_, path string) (string, error) { return path, os.Symlink(target, path) }
	return c
}

// large returns sources of a megabyte each.
func large(n int) []entry {
	var all []entry
	for i := range n {
		all = append(all, plain(fmt.Sprintf("%s/f%d.go", folder, i), clause+"// "+strings.Repeat("x", 1<<20-100)+"\n"))
	}
	return all
}

// doesNotCompile is a program whose compile error quotes a text: one that reads as
// if the build cache could not be written, which would be the grader's failure.
func doesNotCompile(name string, text func() (string, error)) Case {
	c := Case{Name: "made-" + name, Step: step, Verdicts: []verdict.Kind{verdict.CompileError}}
	c.write = func(solution, path string) (string, error) {
		quoted, err := text()
		source := fmt.Sprintf("%s\nvar x int = %q\n", clause, quoted)
		return path, errors.Join(err, write(solution, filepath.Join(path, folder), "solution", []txtar.File{{Name: "evil.go", Data: []byte(source)}}))
	}
	return c
}

// endless is a program of a few lines whose types double with every line, so
// that their names alone fill any memory.
func endless() Case {
	c := Case{Name: "made-endless-compilation", Step: step, Slow: true, Says: "step02_linear",
		// Where others leave it no time to compute, the clock ends it, and the solution is built.
		Verdicts: []verdict.Kind{verdict.Timeout, verdict.OutOfMemory, verdict.CompileError}}
	var b strings.Builder
	fmt.Fprintln(&b, clause+"\ntype pair[T any] struct{ a, b T }\n\nfunc twice[T any](x T) pair[struct{ p, q T }] { return pair[struct{ p, q T }]{} }\n\nfunc init() {\n\tx0 := 1")
	for i := range 60 {
		fmt.Fprintf(&b, "\tx%d := twice(x%d)\n", i+1, i)
	}
	fmt.Fprintln(&b, "\t_ = x60\n}")
	c.write = func(solution, path string) (string, error) {
		return path, write(solution, filepath.Join(path, folder), "solution", []txtar.File{{Name: "evil.go", Data: []byte(b.String())}})
	}
	return c
}

func writeArchive(path, ending string, entries []entry) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	switch ending {
	case ".zip":
		return writeZip(f, entries)
	case ".tar":
		return writeTar(f, entries)
	}
	z := gzip.NewWriter(f)
	return errors.Join(writeTar(z, entries), z.Close())
}

func writeZip(w io.Writer, entries []entry) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		out, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		if _, err := io.Copy(out, e.again()); err != nil {
			return err
		}
	}
	return z.Close()
}

func writeTar(w io.Writer, entries []entry) error {
	t := tar.NewWriter(w)
	for _, e := range entries {
		size := int64(0)
		if e.data != nil {
			size = e.size()
		}
		kind := e.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		if err := t.WriteHeader(&tar.Header{Name: e.name, Linkname: e.link, Typeflag: kind, Size: size, Mode: 0o644}); err != nil {
			return err
		}
		if e.data != nil {
			if _, err := io.Copy(t, e.again()); err != nil {
				return err
			}
		}
	}
	return t.Close()
}

// size is the length of what an entry holds.
func (e entry) size() int64 {
	if l, ok := e.data.(*io.LimitedReader); ok {
		return l.N
	}
	return e.data.(*strings.Reader).Size()
}

// again returns what an entry holds, from its beginning, however often it was
// read.
func (e entry) again() io.Reader {
	if l, ok := e.data.(*io.LimitedReader); ok {
		return io.LimitReader(zero{}, l.N)
	}
	r := *e.data.(*strings.Reader)
	r.Seek(0, io.SeekStart) // cannot fail
	return &r
}

// zero reads as zeros, or rather as spaces, which are a Go source of a kind.
type zero struct{}

func (zero) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte{' '}, len(p)))
	return len(p), nil
}

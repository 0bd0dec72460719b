// Package launch finds the programs of the kit. Each is compiled when it is first needed and
// kept in the kit's folder .stubformer until something that it is made of changes.
//
// It imports little, so that `go run ./cmd/grade` can say a word within seconds while the
// rest is still to be compiled.
package launch

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A BuildError says that a program of the kit could not be compiled.
type BuildError struct {
	Program string
	Output  string // of the go command
	Err     error
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("the program cmd/%s cannot be built: %v\n%s", e.Program, e.Err, e.Output)
}

// Unwrap returns the go command's failure.
func (e *BuildError) Unwrap() error { return e.Err }

// Holds reports whether the kit in root has a program, or one lies beside the running one.
func Holds(root, name string) bool {
	if _, ok := beside(name); ok {
		return true
	}
	info, err := os.Stat(filepath.Join(root, "cmd", name))
	return err == nil && info.IsDir()
}

// Program returns the path of a program of the kit in root. One that lies beside the running
// program is taken as it is. Any other is compiled if it is not there as its source is now;
// compiled is then called for every package that the compiler has finished.
func Program(ctx context.Context, root, name string, compiled func(pkg string)) (path string, err error) {
	if path, ok := beside(name); ok {
		return path, nil
	}
	key, err := keyOf(root)
	if err != nil {
		return "", err
	}
	var all error
	for _, dir := range places(root) {
		path, err := kept(ctx, root, name, filepath.Join(dir, name+"-"+key+executable()), compiled)
		var failed *BuildError
		if err == nil || errors.As(err, &failed) || ctx.Err() != nil {
			return path, err
		}
		all = errors.Join(all, err) // the next folder may take it
	}
	return "", all
}

// kept returns the path of a program, and compiles it if it is not there. Of several that
// want it at once one compiles it, and the others wait.
func kept(ctx context.Context, root, name, path string, compiled func(pkg string)) (string, error) {
	if there(path) {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(ctx, filepath.Join(filepath.Dir(path), name+".lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	if there(path) {
		return path, nil
	}
	return path, build(ctx, root, name, path, compiled)
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// beside looks for a program in the folder of the running one, as a release has them.
func beside(name string) (path string, ok bool) {
	self, err := os.Executable()
	if err != nil {
		return "", false
	}
	path = filepath.Join(filepath.Dir(self), name+executable())
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular()
}

func executable() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// places are the folders that may keep the programs of the kit in root.
func places(root string) []string {
	all := []string{filepath.Join(root, ".stubformer", "bin")}
	if cache, err := os.UserCacheDir(); err == nil {
		all = append(all, filepath.Join(cache, "stubformer", short(root)))
	}
	return all
}

// build compiles a program to path, whole or not at all, and takes away the older ones.
//
// It is compiled without C, which would take a C compiler and seconds for nothing that a
// program of the kit uses, and without what debuggers read.
func build(ctx context.Context, root, name, path string, compiled func(pkg string)) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), name+"-*.tmp")
	if err != nil {
		return err
	}
	tmp.Close()
	defer os.Remove(tmp.Name())
	cmd := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(root, "cmd", name), "-v", "-ldflags=-s -w", "-o", tmp.Name(), ".")
	if os.Getenv("CGO_ENABLED") == "" {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	said := &listener{compiled: compiled}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		return &BuildError{Program: name, Output: strings.TrimSpace(said.rest.String()), Err: err}
	}
	if err := os.Chmod(tmp.Name(), 0o755); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil && !there(path) { // on Windows it may run already
		return err
	}
	removeOlder(path, name)
	return nil
}

// A program that was made in the last minute may be about to be run by another grade; what is
// left of a build that was killed may belong to one that goes on.
const (
	fresh = time.Minute
	stale = 24 * time.Hour
)

// removeOlder takes away the programs that were kept under a name before the one at path.
func removeOlder(path, name string) {
	for pattern, age := range map[string]time.Duration{"-????????????????" + executable(): fresh, "-*.tmp": stale} {
		old, _ := filepath.Glob(filepath.Join(filepath.Dir(path), name+pattern)) // the pattern is well-formed
		for _, file := range old {
			if info, err := os.Stat(file); err == nil && file != path && time.Since(info.ModTime()) > age {
				os.Remove(file) // one that still runs on Windows stays until the next time
			}
		}
	}
}

// listener tells the packages that the go command names from all else that it says.
type listener struct {
	compiled func(pkg string)
	line     []byte // not yet whole
	rest     bytes.Buffer
}

func (l *listener) Write(p []byte) (int, error) {
	l.line = append(l.line, p...)
	for {
		line, after, whole := bytes.Cut(l.line, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		l.line = append([]byte(nil), after...)
		switch text := string(line); {
		case strings.ContainsAny(text, " \t:"):
			fmt.Fprintln(&l.rest, text)
		case l.compiled != nil:
			l.compiled(text)
		}
	}
}

// keyOf is a short name for all that the programs are made of, as it is now: Go, its
// settings, and the names, sizes and times of the kit's files.
func keyOf(root string) (string, error) {
	h := fnv.New64a()
	fmt.Fprintln(h, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, name := range []string{"GOFLAGS", "GOEXPERIMENT", "GOAMD64", "CGO_ENABLED"} {
		fmt.Fprintln(h, name, os.Getenv(name))
	}
	for _, name := range []string{"go.mod", "go.sum", "cmd", "fixtures", "grader", "reference"} {
		err := filepath.WalkDir(filepath.Join(root, name), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir() || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			info, err := d.Info()
			if err == nil {
				fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano())
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// short is a name for a path that can stand in another one.
func short(path string) string {
	h := fnv.New64a()
	h.Write([]byte(path))
	return hex.EncodeToString(h.Sum(nil))
}

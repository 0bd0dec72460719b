// Package handin reads what a student hands in: a folder, an archive or some
// files, with the folders of the steps anywhere in it.
//
// Step folders are found at any depth, in folders and in archives, also in
// archives inside of archives. Nothing is unpacked to disk, no link is followed,
// and nothing but the Go files of steps is kept. What was handed in is not
// trusted, so all of it is bounded: how deep, how many, how large.
package handin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/workspace"
)

// What is read of a submission is bounded: a whole repository is small, and
// what it packs to is not trusted.
const (
	maxEntries  = 20_000
	maxDepth    = 16        // folders and archives, one in the other
	maxArchives = 50        // inside of a submission
	maxNesting  = 4         // of archives inside of archives
	maxHeld     = 64 << 20  // bytes of the archives inside of a submission
	maxTotal    = 16 << 20  // bytes of Go files
	maxUnpacked = 256 << 20 // bytes of an archive, packed and as far as it must be unpacked to be read
	maxNotes    = 20
)

// Content is what a submission holds.
type Content struct {
	Folders map[string]*workspace.Folder `json:"folders,omitempty"` // by name: step05_swiglu
	// Near holds, by the name of a folder that is missing, what looks like it.
	Near map[string][]string `json:"near,omitempty"`
	// Notes say what else lies there and does not count, and why.
	Notes []string `json:"notes,omitempty"`
	// Refused says why nothing of it is graded; "" if it is.
	Refused string `json:"refused,omitempty"`
}

// Missing says that there is no folder of a step, and what looks like it.
func (c *Content) Missing(folder string) lang.Text {
	if near := c.Near[folder]; len(near) > 0 {
		return lang.T("there is no folder %s; %s looks like it: rename it, or hand in a folder %s with the files in it",
			folder, strings.Join(near, ", "), folder)
	}
	return lang.T("not handed in: there is no folder %s", folder)
}

// Whole returns a folder for each of the names: one that is missing is refused,
// with the reason.
func (c *Content) Whole(names []string) map[string]*workspace.Folder {
	all := map[string]*workspace.Folder{}
	for _, name := range names {
		why := c.Missing(name)
		if c.Refused != "" && len(c.Near[name]) == 0 {
			why = lang.Raw(c.Refused)
		}
		if all[name] = c.Folders[name]; all[name] == nil {
			all[name] = &workspace.Folder{Shown: "steps/" + name, Refused: &workspace.RefusedError{File: "steps/" + name, Reason: why}}
		}
	}
	return all
}

// Part is a file or folder that was handed in.
type Part struct {
	Path string
	As   string // its name among the other parts; "" if it is the only one
}

// Reader reads submissions.
type Reader struct {
	Folders []string // of the steps that there are
	Shown   string   // if set, messages call files by their path below it
}

// Read reads a submission. What is wrong with it stands in the content; the
// error is that of this machine.
func (r Reader) Read(parts ...Part) (content *Content, err error) {
	defer func() {
		if p := recover(); p != nil { // an archive that its library was not ready for
			content, err = refused(fmt.Sprintf("it cannot be read: %v", p)), nil
		}
	}()
	c := newCollector(r)
	for _, part := range parts {
		if err = c.read(part); err != nil {
			break
		}
	}
	var why *refusal
	switch {
	case errors.As(err, &why):
		return refused(why.reason), nil
	case madeSo(err):
		return refused(fmt.Sprintf("it cannot be read: %v", err)), nil
	case err != nil:
		return nil, err
	}
	return c.choose(), nil
}

func refused(reason string) *Content {
	return &Content{Refused: untrusted.Line(reason, untrusted.MaxArg)}
}

// refusal is why a submission, or an archive in it, is not read.
type refusal struct {
	reason string
	bound  bool // it would take more than is granted, so reading ends
}

func (r *refusal) Error() string { return r.reason }

func refuse(format string, args ...any) error {
	return &refusal{reason: fmt.Sprintf(format, args...)}
}

// exceeds is a refusal that ends the reading of the whole submission.
func exceeds(format string, args ...any) error {
	return &refusal{reason: fmt.Sprintf(format, args...), bound: true}
}

// madeSo reports whether an error of reading comes from how the submission was
// made (a link to nowhere, no permission, a name too long) and not from this
// machine.
func madeSo(err error) bool {
	causes := []error{fs.ErrNotExist, fs.ErrPermission, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.ENOTDIR}
	return slices.ContainsFunc(causes, func(cause error) bool { return errors.Is(err, cause) })
}

// read reads one part.
func (c *collector) read(part Part) error {
	info, err := os.Stat(part.Path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return c.readDir(part.Path, part.As)
	}
	if !info.Mode().IsRegular() { // to open a pipe is to wait for its writer
		return refuse("it is neither a folder nor a plain file")
	}
	f, err := os.Open(part.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if part.As != "" {
		return c.add(part.As, info.Mode().Type(), opens(f))
	}
	return c.readArchive(f, info.Size(), strings.ToLower(Ending(part.Path, slices.Concat(Archives(), Unread()))))
}

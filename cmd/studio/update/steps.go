package update

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// mergeSteps decides what becomes of the Go files of every step of the newer kit.
func (u *Update) mergeSteps(ctx context.Context, newer *workspace.Kit) error {
	folders, err := newer.Folders()
	if err != nil {
		return err
	}
	for _, folder := range folders {
		wanted, err := u.kit.StubIn(newer.Root, folder)
		if err != nil {
			return fmt.Errorf("%s is not a whole kit: %w", newer.Root, err)
		}
		base, err := u.kit.Stub(folder)
		if err != nil {
			base = nil // a step that this kit does not have yet
		}
		names := slices.Sorted(maps.Keys(wanted))
		for name := range base {
			if wanted[name] == nil {
				names = append(names, name) // the newer kit has it no more
			}
		}
		for _, name := range names {
			if err := u.mergeFile(ctx, "steps/"+folder+"/"+name, base[name], wanted[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeFile decides what becomes of one file, given the stub that the student
// began with and the new one. Each is nil if its kit has no such file.
func (u *Update) mergeFile(ctx context.Context, name string, base, wanted []byte) error {
	was, err := u.original(name, base)
	if err != nil {
		return err
	}
	mine := newline.Unix(was.data)
	binding := strings.HasSuffix(name, "_test.go")
	becomes := file{wanted, 0o644, true}
	if was.there {
		becomes.mode = was.mode
	}
	switch {
	case was.there && bytes.Equal(mine, wanted) || bytes.Equal(base, wanted) && !binding:
		return nil // as it should be, or nothing new
	case wanted == nil && was.there && bytes.Equal(mine, base):
		u.set(name, was, file{}, base)
	case wanted == nil && was.there && binding:
		u.note(name, Stays)
	case wanted == nil:
		return nil // the student's own now
	case !was.there && base != nil && !binding:
		u.note(name, Removed)
	case !was.there || binding || bytes.Equal(mine, base):
		u.set(name, was, becomes, base)
		u.note(name, Renewed)
	default:
		return u.merge(ctx, name, base, mine, was, becomes)
	}
	return nil
}

// merge merges a file that both sides have changed.
func (u *Update) merge(ctx context.Context, name string, base, mine []byte, was, becomes file) error {
	if line := marked(mine); line > 0 {
		return u.unsettled(name, line)
	}
	merged, conflicts, err := threeWay(ctx, mine, base, becomes.data)
	switch {
	case errors.Is(err, errNoGit):
		beside, err := u.original(name+".new", nil)
		u.set(name+".new", beside, file{becomes.data, 0o644, true}, nil)
		u.note(name, Beside)
		return err
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case conflicts:
		u.note(name, Conflict)
	default:
		u.note(name, Merged)
	}
	becomes.data = merged
	u.set(name, was, becomes, base)
	return nil
}

// unsettled is the error of a file that still holds the markers of a conflict.
func (u *Update) unsettled(name string, line int) error {
	so := "Nothing was changed"
	if u.Interrupted {
		so = "This time nothing was changed; the update before it was interrupted, and the files that it may have changed are in " + u.journal.Copies
	}
	return fmt.Errorf("%s still has the markers of an earlier merge in line %d; settle them first, then update again. %s", name, line, so)
}

// marked returns the number of the first line that begins a conflict; 0 for none.
func marked(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) {
			return n
		}
	}
	return 0
}

// owned are the folders in which everything is the kit's, unless somebody has
// put something of their own there.
var owned = []string{"bench", "cmd", "docs", "fixtures", "grader", "reference", "solutions"}

// replaceRest decides what becomes of everything but the steps' Go files: the
// newer kit's files replace the old ones, and what it has no more is removed, if
// it is certain that nobody has worked on it.
func (u *Update) replaceRest() error {
	there := map[string]bool{}
	err := eachFile(u.from, func(name string) error {
		there[name] = true
		if isStepCode(name) {
			return nil
		}
		becomes, err := read(filepath.Join(u.from, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		was, err := u.original(name, nil)
		if hash := u.shipped[name]; was.there && hash != "" && was.sum() != hash && was.sum() != becomes.sum() {
			u.note(name, Replaced)
		}
		becomes.mode |= was.mode & 0o111 // where it was unpacked that may be lost
		u.set(name, was, becomes, nil)
		return err
	})
	if err != nil {
		return err
	}
	if !there[ManifestFile] { // the old one would say what is not so any more
		was, err := u.original(ManifestFile, nil)
		if err != nil {
			return err
		}
		u.set(ManifestFile, was, file{}, nil)
	}
	return eachFile(u.kit.Root, func(name string) error {
		top, _, _ := strings.Cut(name, "/")
		if !slices.Contains(owned, top) || there[name] {
			return nil
		}
		was, err := u.original(name, nil)
		if was.there && u.shipped[name] == was.sum() {
			u.set(name, was, file{}, nil)
		} else {
			u.note(name, Stays)
		}
		return err
	})
}

func isStepCode(name string) bool {
	return strings.HasPrefix(name, "steps/") && strings.HasSuffix(name, ".go")
}

// eachFile calls f with every plain file below root, without hidden folders and
// the folders that a student's runs write.
func eachFile(root string, f func(name string) error) error {
	return fs.WalkDir(os.DirFS(root), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case e.IsDir() && (strings.HasPrefix(e.Name(), ".") && e.Name() != ".ci" || name == "runs" || name == "out"):
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		return f(name)
	})
}

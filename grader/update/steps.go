package update

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/workspace"
)

// mergeSteps decides what becomes of the Go files of every step of the newer kit.
func (u *update) mergeSteps(newer *workspace.Kit) error {
	folders, err := newer.Folders()
	if err != nil {
		return err
	}
	for _, folder := range folders {
		wanted, err := workspace.StubIn(newer.Root, folder)
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
			if err := u.mergeFile("steps/"+folder+"/"+name, base[name], wanted[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeFile decides what becomes of one file, given the stub that the student
// began with and the new one. Each is nil if its kit has no such file.
func (u *update) mergeFile(name string, base, wanted []byte) error {
	mine, err := os.ReadFile(u.path(name))
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mine = bytes.ReplaceAll(mine, []byte("\r\n"), []byte("\n"))
	binding := strings.HasSuffix(name, "_test.go")
	switch {
	case there && bytes.Equal(mine, wanted) || bytes.Equal(base, wanted) && !binding:
		return nil // as it should be, or nothing new
	case wanted == nil && there && (binding || bytes.Equal(mine, base)):
		u.files[name] = nil
	case wanted == nil:
		return nil // the student's own now
	case !there && base != nil && !binding:
		u.note(name, Removed)
	case !there || binding || bytes.Equal(mine, base):
		u.files[name] = wanted
		u.note(name, Renewed)
	default:
		return u.merge(name, base, mine, wanted)
	}
	return nil
}

func (u *update) note(name string, s State) { u.changes = append(u.changes, Change{name, s}) }

// merge merges a file that both sides have changed.
func (u *update) merge(name string, base, mine, wanted []byte) error {
	if line := marked(mine); line > 0 {
		return fmt.Errorf("%s still has the markers of an earlier merge in line %d; settle them first, then update again. Nothing was changed", name, line)
	}
	merged, conflicts, err := threeWay(u.ctx, mine, base, wanted)
	switch {
	case errors.Is(err, errNoGit):
		u.set(name+".new", wanted)
		u.note(name, Beside)
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case conflicts:
		u.note(name, Conflict)
	default:
		u.note(name, Merged)
	}
	u.files[name] = merged
	return nil
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

// owned are the folders in which everything is the kit's: what the newer kit
// does not have there is removed, after a copy was kept.
var owned = []string{"bench", "cmd", "docs", "fixtures", "grader", "reference", "solutions"}

// replaceRest decides what becomes of everything but the steps' Go files: the
// newer kit's files replace the old ones.
func (u *update) replaceRest() error {
	there := map[string]bool{}
	err := eachFile(u.from, func(name string) error {
		there[name] = true
		if isStepCode(name) {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(u.from, filepath.FromSlash(name)))
		if err == nil {
			u.set(name, data)
		}
		return err
	})
	if err != nil {
		return err
	}
	return eachFile(u.kit.Root, func(name string) error {
		if top, _, _ := strings.Cut(name, "/"); slices.Contains(owned, top) && !there[name] {
			u.files[name] = nil
		}
		return nil
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

package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/derive"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/reference/newline"
)

// DeriveFile says, by being there, that the stubs of a kit leave the derivatives to
// the student.
const DeriveFile = "steps/derive"

// deriveText is what stands in it.
const deriveText = "The stubs of this kit leave the derivatives to you; their lessons fold them away.\n" +
	"To bring them back: go run ./cmd/grade derive off\n"

// Derives reports whether the stubs of the kit leave the derivatives out.
func (k *Kit) Derives() bool { return derives(k.Root) }

func derives(root string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(DeriveFile)))
	return err == nil
}

// withoutDerivatives returns the files of a step as they are without derivatives.
func withoutDerivatives(files map[string][]byte) map[string][]byte {
	left := maps.Clone(files)
	for name, data := range nonTests(files) {
		left[name], _ = derive.Stub(data)
	}
	return left
}

// Derive leaves the derivatives out of the stubs of a kit and folds them in its
// lessons, or brings them back. It changes files that are as they were handed out,
// and no others: it returns those that the student has changed.
func (k *Kit) Derive(out bool) (kept []string, err error) {
	folders, err := k.Folders()
	if err != nil {
		return nil, err
	}
	if err := k.mark(out); err != nil {
		return nil, err
	}
	for _, folder := range folders {
		full, err := readArchive(k.pristine, folder)
		if err != nil {
			return kept, err
		}
		before, after := full, withoutDerivatives(full)
		if !out {
			before, after = after, before
		}
		changed, err := k.exchange(folder, before, after)
		kept = append(kept, changed...)
		if err = errors.Join(err, foldLessons(filepath.Join(k.Root, "steps", folder), out)); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

// exchange puts files in the place of others that are as they were handed out, and
// returns the names of those that are not.
func (k *Kit) exchange(folder string, before, after map[string][]byte) (kept []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		path := filepath.Join(k.Root, "steps", folder, name)
		now, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept, err
		}
		switch now = newline.Unix(now); {
		case bytes.Equal(before[name], after[name]), bytes.Equal(now, after[name]):
		case !bytes.Equal(now, before[name]):
			kept = append(kept, "steps/"+folder+"/"+name)
		default:
			if err := whole.Write(path, after[name]); err != nil {
				return kept, err
			}
		}
	}
	return kept, nil
}

// mark says whether the derivatives are left out.
func (k *Kit) mark(out bool) error {
	path := filepath.Join(k.Root, filepath.FromSlash(DeriveFile))
	if out {
		return whole.Write(path, []byte(deriveText))
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// foldLessons folds the derivations in the lessons of a step, or unfolds them.
func foldLessons(dir string, out bool) error {
	lessons, err := filepath.Glob(filepath.Join(dir, "README*.md"))
	for _, path := range lessons {
		data, rerr := os.ReadFile(path)
		data = newline.Unix(data)
		text := derive.Unfold(string(data))
		if out {
			text = derive.Lesson(text)
		}
		if rerr == nil && text != string(data) {
			rerr = whole.Write(path, []byte(text))
		}
		err = errors.Join(err, rerr)
	}
	return err
}

// Hinted returns a step whose last hints are the derivatives that the stub leaves
// out; the step itself where it does not.
func (k *Kit) Hinted(step *course.Step) *course.Step {
	if !k.Derives() {
		return step
	}
	files, err := readArchive(k.pristine, step.Folder)
	if err != nil {
		return step
	}
	own := *step
	own.Hints = slices.Clone(step.Hints)
	for _, name := range slices.Sorted(maps.Keys(nonTests(files))) {
		_, taken := derive.Stub(files[name])
		for _, d := range taken {
			for _, check := range d.Checks(step.CheckIDs()) {
				own.Hints = append(own.Hints, course.Hint{For: check, Last: true,
					Text: d.Func + ":\n\n    " + strings.ReplaceAll(d.Text, "\n", "\n    ")})
			}
		}
	}
	return &own
}

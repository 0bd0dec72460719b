package class

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/cmd/teach/roster"
	"github.com/stubformer/stubformer/grader/handin"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// Source is where a submission comes from.
type Source struct {
	Name string // of the student; also of their files in the output
	Read func(name string) (*Submission, error)
	Origin
}

// Found is what Find found.
type Found struct {
	Sources []Source
	Skipped []string // what lies there and is no submission, with the reason
}

// Find lists the submissions that paths name, in the order of their names. One path
// may be a folder of submissions: archives and folders, one a student. Any other path
// is one submission: an archive, or a folder with step folders anywhere in it. Of two
// submissions with one name the second has a number after it.
func Find(paths []string, folders []string) (Found, error) {
	var found Found
	if err := found.all(paths, folders); err != nil {
		return found, err
	}
	if len(found.Sources) == 0 {
		return found, fmt.Errorf("there is no submission in %s: want one folder, .zip, .tar, .tar.gz or .tar.xz a student", strings.Join(paths, ", "))
	}
	slices.SortStableFunc(found.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	found.tellApart()
	return found, nil
}

// all lists the submissions that paths name.
func (f *Found) all(paths []string, folders []string) error {
	named := map[string][]entry{} // by the folder in which they lie
	for _, path := range paths {
		info, err := os.Stat(path)
		if _, lerr := os.Lstat(path); err != nil && lerr != nil {
			return fmt.Errorf("%s cannot be read: %w", path, err)
		}
		mode := os.ModeSymlink // one that leads nowhere: a shell's * names it too
		if err == nil {
			mode = info.Mode().Type()
		}
		switch whole, err := filepath.Abs(path); {
		case err != nil:
			return err
		case len(paths) > 1 || mode&os.ModeSymlink != 0 || submission(whole, mode, folders):
			dir := filepath.Dir(whole)
			named[dir] = append(named[dir], entry{filepath.Base(whole), mode})
		case mode.IsDir():
			return f.in(path, folders)
		default:
			return fmt.Errorf("%s is not a submission; want a folder or a file that ends in %s", path, strings.Join(handin.Archives(), ", "))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(named)) {
		if err := f.folder(dir, named[dir], folders); err != nil {
			return err
		}
	}
	return nil
}

// in lists the submissions in a folder of them.
func (f *Found) in(dir string, folders []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var list []entry
	for _, e := range entries {
		list = append(list, entry{e.Name(), e.Type()})
	}
	return f.folder(dir, list, folders)
}

// submission reports whether what somebody names is a submission, and not a folder of
// them: an archive, or a folder that holds step folders, or of which the platform says
// so beside it.
func submission(path string, mode fs.FileMode, folders []string) bool {
	if !mode.IsDir() {
		return handin.Ending(path, slices.Concat(handin.Archives(), handin.Unread())) != ""
	}
	if name := filepath.Base(path); holdsSteps(path, folders) || strings.Contains(name, "_assignsubmission_") {
		return true
	}
	said, err := recordIn(filepath.Dir(path))
	_, known := said.origins[filepath.Base(path)]
	return err == nil && known && assignment(path) == ""
}

// said is what platforms say of the submissions in a folder. What lies in a submission
// says nothing.
func said(dir string, folders []string) (record, error) {
	whole, err := filepath.Abs(dir)
	if err != nil || submission(whole, os.ModeDir, folders) {
		return record{}, err
	}
	return recordIn(whole)
}

// entry is one of those in a folder of submissions.
type entry struct {
	name string
	mode fs.FileMode
}

// folder lists those of the entries of a folder that are submissions.
func (f *Found) folder(dir string, entries []entry, folders []string) error {
	said, err := said(dir, folders)
	if err != nil {
		return err
	}
	canvas := inCanvas(entries)
	for _, e := range entries {
		path := filepath.Join(dir, e.name)
		archive := handin.Ending(e.name, handin.Archives()) != ""
		switch {
		case canvas[e.name].file != "":
		case e.name[0] == '.' && holdsSteps(path, folders):
			f.Skipped = append(f.Skipped, plainName(e.name)+": its name begins with a dot, so it is not looked at")
		case e.name[0] == '.' || e.name == "__MACOSX" || slices.Contains(said.files, e.name): // of a system or a tool
		case e.mode.IsDir() || archive && e.mode.IsRegular():
			f.add(path, folders, "")
			f.Sources[len(f.Sources)-1].Origin = said.origins[e.name]
		case e.mode&os.ModeSymlink != 0:
			f.add(path, folders, linked(path))
		case archive:
			f.add(path, folders, "it is neither a folder nor a plain file")
		case e.mode.IsRegular() && handin.Ending(e.name, handin.Unread()) != "": // or something else of that name
			f.add(path, folders, "")
		case e.mode.IsRegular() && strings.EqualFold(filepath.Ext(e.name), ".go"):
			f.addParts(strings.TrimSuffix(e.name, filepath.Ext(e.name)), folders, "", handin.Part{Path: path, As: e.name})
		default:
			f.Skipped = append(f.Skipped, plainName(e.name)+": it is neither a folder nor an archive")
		}
	}
	f.addCanvas(dir, canvas, folders)
	return nil
}

// linked says why a link is refused.
func linked(path string) string {
	if _, err := os.Stat(path); err != nil {
		return "it is a link that leads nowhere"
	}
	return "it is a link, and no link is followed; want what it leads to"
}

// add adds a submission, which is refused at once if there is a reason.
func (f *Found) add(path string, folders []string, why string) {
	base := filepath.Base(path)
	endings := slices.Concat(handin.Archives(), handin.Unread())
	f.addParts(strings.TrimSuffix(base, handin.Ending(base, endings)), folders, why, handin.Part{Path: path})
}

// addParts adds a submission of files and folders that belong together.
func (f *Found) addParts(name string, folders []string, why string, parts ...handin.Part) {
	f.Sources = append(f.Sources, Source{Name: safeName(name), Read: func(name string) (*Submission, error) {
		if why != "" {
			return &Submission{Name: name, Content: handin.Content{Refused: why}}, nil
		}
		content, err := handin.Reader{Folders: folders}.Read(parts...)
		if err != nil {
			return nil, err
		}
		return &Submission{Name: name, Content: *content}, nil
	}})
}

// tellApart gives every submission a name of its own, also where the case of
// letters does not count, and says so.
func (f *Found) tellApart() {
	taken := map[string]bool{}
	for i := range f.Sources {
		s := &f.Sources[i]
		name := s.Name
		for n := 2; taken[roster.Key(s.Name)]; n++ {
			s.Name = fmt.Sprintf("%s (%d)", name, n)
		}
		if s.Name != name {
			f.Skipped = append(f.Skipped, fmt.Sprintf("%s: there is another submission of that name; this one is called %s. Which one counts?", name, s.Name))
		}
		taken[roster.Key(s.Name)] = true
	}
}

// holdsSteps reports whether a folder is a submission itself.
func holdsSteps(dir string, folders []string) bool {
	for _, name := range append([]string{"steps"}, folders...) {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && (info.IsDir() || info.Mode()&os.ModeSymlink != 0) {
			return true
		}
	}
	return false
}

// maxName is how long the name of a student may be, in bytes: with an ending it
// is that of a file, which most systems cut at 255.
const maxName = 100

// safeName turns the name of a file into one that can be printed, and that can
// be the name of a file on every system. What is cut off a long one is told
// apart by a hash.
func safeName(name string) string {
	whole := name
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, plainName(name))
	if len(name) > maxName {
		sum := sha256.Sum256([]byte(whole))
		name = strings.ToValidUTF8(name[:maxName], "") + "~" + hex.EncodeToString(sum[:4])
	}
	if name = strings.TrimRight(name, ". "); name == "" || strings.Trim(name, ".") == "" {
		return "_"
	}
	return name
}

// plainName is a name of a file as it can be printed.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == utf8.RuneError {
			return '_'
		}
		return r
	}, untrusted.Clean(name))
}

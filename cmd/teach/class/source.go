package class

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/handin"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// Source is where a submission comes from.
type Source struct {
	Name string // of the student; also of their files in the output
	Read func(name string) (*Submission, error)
	Origin
}

// Origin is what a platform says about a submission.
type Origin struct {
	By       []string  `json:"by,omitempty"` // names, numbers and addresses of who handed it in
	HandedIn time.Time `json:"handed_in,omitzero"`
}

// Found is what Find found.
type Found struct {
	Sources []Source
	Skipped []string // what lies there and is no submission, with the reason
}

// Find lists the submissions that paths name, in the order of their names. A
// path is an archive, a folder that holds step folders (or steps/), or a folder
// that holds such archives and folders, one a student. Of two submissions with
// one name the second has a number after it.
func Find(paths []string, folders []string) (Found, error) {
	var found Found
	for _, path := range paths {
		info, err := os.Stat(path)
		if _, lerr := os.Lstat(path); err != nil && lerr == nil {
			found.add(path, folders, "it is a link that leads nowhere") // a shell's * names it too
			continue
		}
		if err != nil {
			return found, fmt.Errorf("%s cannot be read: %w", path, err)
		}
		switch {
		case info.IsDir() && !holdsSteps(path, folders):
			if err := found.folder(path, folders); err != nil {
				return found, err
			}
		case info.IsDir() || handin.Ending(path, handin.Archives()) != "":
			found.add(path, folders, "")
		case handin.Ending(path, handin.Unread()) != "":
			found.add(path, folders, handin.Unreadable(path))
		default:
			return found, fmt.Errorf("%s is not a submission; want a folder or a file that ends in %s", path, strings.Join(handin.Archives(), ", "))
		}
	}
	if len(found.Sources) == 0 {
		return found, fmt.Errorf("there is no submission in %s: want one folder, .zip, .tar, .tar.gz or .tar.xz a student", strings.Join(paths, ", "))
	}
	slices.SortStableFunc(found.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	found.tellApart()
	return found, nil
}

// folder lists the submissions in a folder of them.
func (f *Found) folder(dir string, folders []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	origins, err := originsIn(dir, entries)
	if err != nil {
		return err
	}
	canvas := map[string][]handin.Part{}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if m := canvasName().FindStringSubmatch(e.Name()); m != nil && e.Type().IsRegular() {
			canvas[m[1]+"_"+m[2]] = append(canvas[m[1]+"_"+m[2]], handin.Part{Path: path, As: m[3]})
			continue
		}
		archive := handin.Ending(e.Name(), handin.Archives()) != ""
		switch {
		case e.Name()[0] == '.' || e.Name() == "__MACOSX" || e.Name() == gradescopeFile || e.Name() == classroom50File && origins != nil: // of a system or a tool
		case e.IsDir() || archive && e.Type().IsRegular():
			f.add(path, folders, "")
			f.Sources[len(f.Sources)-1].Origin = origins[e.Name()]
		case e.Type()&os.ModeSymlink != 0:
			f.add(path, folders, "it is a link, and no link is followed; want what it leads to")
		case archive:
			f.add(path, folders, "it is neither a folder nor a plain file")
		case handin.Ending(e.Name(), handin.Unread()) != "":
			f.add(path, folders, handin.Unreadable(path))
		default:
			f.Skipped = append(f.Skipped, plainName(e.Name())+": it is neither a folder nor an archive")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(canvas)) {
		f.addParts(name, folders, "", canvas[name]...)
	}
	return nil
}

// canvasName matches what Canvas calls the files that it downloads: the student's
// name and number, the number of the file, and the file's own name. All files
// with one number are one submission.
func canvasName() *regexp.Regexp {
	return regexp.MustCompile(`^(\pL[\pL\pM'-]*)(?:_LATE)?_(\d{3,})_\d{3,}_(.+)$`)
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
		for n := 2; taken[strings.ToLower(s.Name)]; n++ {
			s.Name = fmt.Sprintf("%s (%d)", name, n)
		}
		if s.Name != name {
			f.Skipped = append(f.Skipped, fmt.Sprintf("%s: there is another submission of that name; this one is called %s. Which one counts?", name, s.Name))
		}
		taken[strings.ToLower(s.Name)] = true
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

package class

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/untrusted"
)

// Source is where a submission comes from.
type Source struct {
	Name string // of the student; also of their files in the output
	Read func(name string) (*Submission, error)
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
		case info.IsDir() || ending(path, archives) != "":
			found.add(path, folders, "")
		case ending(path, unread) != "":
			found.add(path, folders, unreadable(path))
		default:
			return found, fmt.Errorf("%s is not a submission; want a folder or a file that ends in %s", path, strings.Join(archives, ", "))
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
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		archive := ending(e.Name(), archives) != ""
		switch {
		case e.Name()[0] == '.' || e.Name() == "__MACOSX": // of a system or a tool
		case e.IsDir() || archive && e.Type().IsRegular():
			f.add(path, folders, "")
		case e.Type()&os.ModeSymlink != 0:
			f.add(path, folders, "it is a link, and no link is followed; want what it leads to")
		case archive:
			f.add(path, folders, "it is neither a folder nor a plain file")
		case ending(e.Name(), unread) != "":
			f.add(path, folders, unreadable(path))
		default:
			f.Skipped = append(f.Skipped, plainName(e.Name())+": it is neither a folder nor an archive")
		}
	}
	return nil
}

func unreadable(path string) string {
	return fmt.Sprintf("a %s file cannot be read here; want a folder, .zip or .tar.gz", strings.ToLower(ending(path, unread)))
}

// add adds a submission, which is refused at once if there is a reason.
func (f *Found) add(path string, folders []string, refused string) {
	base := filepath.Base(path)
	name := safeName(strings.TrimSuffix(base, ending(base, slices.Concat(archives, unread))))
	f.Sources = append(f.Sources, Source{name, func(name string) (*Submission, error) {
		if refused != "" {
			return &Submission{Name: name, Refused: refused}, nil
		}
		return Read(name, path, folders)
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

// ending returns the longest of the endings that a file's name has, as it is
// written there, "" for none.
func ending(name string, endings []string) string {
	longest := ""
	for _, e := range endings {
		if len(name) > len(e) && strings.EqualFold(name[len(name)-len(e):], e) && len(e) > len(longest) {
			longest = name[len(name)-len(e):]
		}
	}
	return longest
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

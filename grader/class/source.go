package class

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Source is where a submission comes from.
type Source struct {
	Name string // of the student; also of their files in the output
	Read func() (*Submission, error)
}

// archives are the endings of the files that hold a submission.
var archives = []string{".tar.gz", ".tgz", ".tar", ".zip"}

// Find lists the submissions that paths name, in the order of their names. A
// path is an archive, a folder that holds step folders (or steps/), or a folder
// that holds such archives and folders, one a student.
func Find(paths []string, folders []string) ([]Source, error) {
	var list []Source
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", path, err)
		}
		if !info.IsDir() && ending(path) == "" {
			return nil, fmt.Errorf("%s is not a submission; want a folder or a file that ends in %s", path, strings.Join(archives, ", "))
		}
		if !info.IsDir() || holdsSteps(path, folders) {
			list = append(list, source(path, folders))
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() && e.Name()[0] != '.' || !e.IsDir() && ending(e.Name()) != "" {
				list = append(list, source(filepath.Join(path, e.Name()), folders))
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("there is no submission in %s: want one folder, .zip, .tar or .tar.gz a student", strings.Join(paths, ", "))
	}
	slices.SortStableFunc(list, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(list); i++ {
		if strings.EqualFold(list[i].Name, list[i-1].Name) {
			return nil, fmt.Errorf("there are two submissions of %s; which one counts?", list[i].Name)
		}
	}
	return list, nil
}

// holdsSteps tells whether a folder is a submission itself.
func holdsSteps(dir string, folders []string) bool {
	for _, name := range append([]string{"steps"}, folders...) {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && (info.IsDir() || info.Mode()&os.ModeSymlink != 0) {
			return true
		}
	}
	return false
}

func source(path string, folders []string) Source {
	base := filepath.Base(path)
	name := safeName(strings.TrimSuffix(base, ending(base)))
	return Source{name, func() (*Submission, error) { return Read(name, path, folders) }}
}

// ending returns the ending of an archive's name, "" for any other file.
func ending(name string) string {
	for _, e := range archives {
		if len(name) > len(e) && strings.EqualFold(name[len(name)-len(e):], e) {
			return name[len(name)-len(e):]
		}
	}
	return ""
}

// safeName turns the name of a file into one that can be printed, and that can
// be the name of a file on every system.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffd || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if name = strings.TrimRight(name, ". "); name == "" || strings.Trim(name, ".") == "" {
		return "_"
	}
	return name
}

package handin

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/workspace"
)

// collector picks the Go files of the steps out of the entries of a submission.
type collector struct {
	Reader
	found map[string]map[string]*workspace.Folder // by the name of the step's folder, and by its path
	near  map[string][]string                     // by the name of the step's folder, paths that look like it
	past  map[passed][]passed                     // step folders that do not count, by where they lie
	notes []string

	astray string // a Go file that lies in no step's folder and looks like none's

	kits map[string]bool // the folders steps and fixtures, which no kit is without, by their paths
	dirs map[string]bool // what something lies in that the same archive holds: folders, however it calls them

	opened   map[string]int // how often an archive inside was opened, by its path
	within   []string       // the archives that are being read, one in the other, by their paths
	entries  int
	archives int
	held     int64 // bytes of archives inside
	total    int64 // bytes of the files that were kept
	left     int64 // bytes that may still be unpacked
}

// passed is two paths: what lies at one counts, what lies at the other does not.
type passed struct{ counts, not string }

func newCollector(r Reader) *collector {
	return &collector{Reader: r, left: maxUnpacked, kits: map[string]bool{}, dirs: map[string]bool{}, opened: map[string]int{},
		found: map[string]map[string]*workspace.Folder{}, near: map[string][]string{}, past: map[passed][]passed{}}
}

// look notes where an entry lies. All entries of a folder or an archive are looked
// at before the first of them is added.
func (c *collector) look(name string, mode fs.FileMode) {
	for at := name; at != "."; at = path.Dir(at) {
		switch base, folder := path.Base(at), at != name || mode.IsDir(); {
		case folder && (base == "steps" || base == "fixtures"):
			c.kits[at] = true
		case slices.Contains(c.Folders, stem(base)): // they lie there as in steps
			c.kits[path.Join(path.Dir(at), "steps")] = true
		}
		if c.dirs[path.Dir(at)] {
			return
		}
		c.dirs[path.Dir(at)] = true
	}
}

// aside reports whether a path leads where no student's work is looked for: into
// other parts of a kit that was handed in whole, and what tools leave behind. A
// folder of a student's own may be called as a part of the kit is.
func (c *collector) aside(name string) bool {
	tools := []string{"node_modules", "__MACOSX"}
	parts := []string{"solutions", "fixtures", "grader", "reference", "cmd", "bench", "notebooks"}
	for at := name; at != "."; at = path.Dir(at) {
		base, beside := path.Base(at), func(name string) bool { return path.Base(at) != name && c.kits[path.Join(path.Dir(at), name)] }
		if strings.HasPrefix(base, ".") || slices.Contains(tools, base) || slices.Contains(parts, base) && (beside("steps") || beside("fixtures")) {
			return true
		}
	}
	return false
}

// place says which step folder a path lies in or is: its name, its path, and the
// rest of the path. An archive of the name of a step folder is one. ok is false
// for all paths in which the grader has no interest.
func (c *collector) place(name string) (folder, at, rest string, ok bool) {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if c.aside(strings.Join(parts[:i+1], "/")) {
			break
		}
		if part = stem(part); slices.Contains(c.Folders, part) {
			folder, at, rest, ok = part, strings.Join(parts[:i+1], "/"), strings.Join(parts[i+1:], "/"), true
		}
	}
	return folder, at, rest, ok
}

// stem is the name of an archive without its ending, and any other name as it is.
func stem(name string) string { return strings.TrimSuffix(name, Ending(name, Archives())) }

// add takes an entry or leaves it. An error that is a *refusal is about the
// whole submission, or the archive that is being read; any other is one of
// reading.
func (c *collector) add(name string, mode fs.FileMode, open opener) error {
	if c.entries++; c.entries > maxEntries {
		return exceeds("it holds more than %d files", maxEntries)
	}
	if mode.IsRegular() && !c.aside(name) {
		switch {
		case Ending(name, Archives()) != "":
			return c.nested(name, open)
		case Ending(name, Unread()) != "":
			c.note("%s: %s", name, Unreadable(name))
			return nil
		}
	}
	folder, at, rest, ok := c.place(name)
	if !ok || strings.Contains(rest, "/") {
		c.resembles(name, mode)
		return nil
	}
	f := c.folder(folder, at)
	if rest == "" {
		if !mode.IsDir() {
			f.Refused = &workspace.RefusedError{File: f.Shown, Reason: lang.T("it is a link or a file; want a folder")}
		}
		return nil
	}
	if _, there := f.Files[rest]; there {
		c.twice(f, name)
	}
	if err := f.Add(rest, mode, open); err != nil {
		return err
	}
	if c.total += int64(len(f.Files[rest])); c.total > maxTotal {
		return exceeds("its Go files are larger than %d MiB together", maxTotal>>20)
	}
	return nil
}

// twice says that a file comes with a path that another one has. In one archive the last
// one counts, as when it is unpacked; of two archives of one name neither does.
func (c *collector) twice(f *workspace.Folder, name string) {
	if n := len(c.within); n > 0 && c.opened[c.within[n-1]] > 1 {
		f.Refused = &workspace.RefusedError{File: f.Shown, Reason: lang.T("%s is in two archives of one name, %s; which one counts?",
			untrusted.Line(path.Base(name), untrusted.MaxName), untrusted.Line(c.within[n-1], untrusted.MaxName))}
		return
	}
	c.note("%s: it is there more than once; the last one counts, as when the archive is unpacked", name)
}

// folder returns the step folder at a path, a new one if it is met first.
func (c *collector) folder(name, at string) *workspace.Folder {
	if c.found[name] == nil {
		c.found[name] = map[string]*workspace.Folder{}
	}
	if c.found[name][at] == nil {
		shown := "steps/" + name // for all alike, since results are shared
		if c.Shown != "" {
			shown = filepath.Join(c.Shown, filepath.FromSlash(at))
		}
		c.found[name][at] = &workspace.Folder{Shown: shown}
	}
	return c.found[name][at]
}

// note adds what somebody should know. Many notes are cut.
func (c *collector) note(format string, args ...any) {
	if len(c.notes) < maxNotes {
		c.notes = append(c.notes, untrusted.Line(fmt.Sprintf(format, args...), untrusted.MaxArg))
	}
}

// spoil refuses the step folders of an archive that could not be read whole.
func (c *collector) spoil(archive, reason string) {
	c.note("%s: %s", archive, reason)
	for _, places := range c.found {
		for at, f := range places {
			if (at == archive || strings.HasPrefix(at, archive+"/")) && f.Refused == nil {
				f.Refused = &workspace.RefusedError{File: f.Shown, Reason: lang.T("%s could not be read to its end: %s",
					untrusted.Line(path.Base(archive), untrusted.MaxName), untrusted.Line(reason, untrusted.MaxArg))}
			}
		}
	}
}

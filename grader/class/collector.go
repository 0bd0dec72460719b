package class

import (
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

// collector picks the Go files of the steps out of the entries of a submission.
type collector struct {
	folders map[string]bool // the steps that there are
	groups  map[group]map[string]*workspace.Folder
	entries int
	total   int64 // bytes of the files that were kept
}

// group is a place in a submission where step folders lie.
type group struct {
	top   string // folder at the top, "" for the top itself
	steps bool   // in its folder steps
}

// place says which step folder a path lies in or is, and the rest of the path.
// ok is false for all paths in which the grader has no interest.
func (c *collector) place(name string) (g group, folder, rest string, ok bool) {
	parts := strings.Split(name, "/")
	for i, part := range parts[:min(3, len(parts))] {
		if !c.folders[part] {
			continue
		}
		switch before := parts[:i]; {
		case i == 0:
			g = group{}
		case before[i-1] == "steps":
			g = group{strings.Join(before[:i-1], "/"), true}
		case i == 1 && before[0] != "solutions" && before[0] != "fixtures":
			g = group{before[0], false}
		default:
			return g, "", "", false
		}
		return g, part, strings.Join(parts[i+1:], "/"), true
	}
	return g, "", "", false
}

// leads reports whether step folders, or files of one, can lie in a folder.
func (c *collector) leads(name string) bool {
	if _, _, rest, ok := c.place(name); ok {
		return rest == ""
	}
	parts := strings.Split(name, "/")
	return len(parts) == 1 && !strings.HasPrefix(name, ".") || len(parts) == 2 && parts[1] == "steps"
}

// add takes an entry or leaves it. An error that is a *refusal is about the
// whole submission; any other is one of reading.
func (c *collector) add(name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error {
	if c.entries++; c.entries > maxEntries {
		return refuse("it holds more than %d files", maxEntries)
	}
	g, folder, rest, ok := c.place(name)
	if !ok || strings.Contains(rest, "/") {
		return nil
	}
	if c.groups[g] == nil {
		c.groups[g] = map[string]*workspace.Folder{}
	}
	f := c.groups[g][folder]
	if f == nil {
		f = &workspace.Folder{Shown: "steps/" + folder}
		c.groups[g][folder] = f
	}
	if rest == "" {
		if !mode.IsDir() {
			f.Refused = &workspace.RefusedError{File: f.Shown, Reason: lang.T("it is a link or a file; want a folder")}
		}
		return nil
	}
	if err := f.Add(rest, mode, open); err != nil {
		return err
	}
	if c.total += int64(len(f.Files[rest])); c.total > maxTotal {
		return refuse("its Go files are larger than %d MiB together", maxTotal>>20)
	}
	return nil
}

// choose returns the step folders of the place where they lie: folders called
// steps come first.
func (c *collector) choose() (map[string]*workspace.Folder, error) {
	groups := slices.Collect(maps.Keys(c.groups))
	if slices.ContainsFunc(groups, func(g group) bool { return g.steps }) {
		groups = slices.DeleteFunc(groups, func(g group) bool { return !g.steps })
	}
	if slices.ContainsFunc(groups, func(g group) bool { return g.top == "" }) {
		groups = slices.DeleteFunc(groups, func(g group) bool { return g.top != "" })
	}
	switch len(groups) {
	case 0:
		return nil, refuse("there is no step folder in it, such as steps/step01_init, at its top or one level below")
	case 1:
		return c.groups[groups[0]], nil
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.top, b.top) })
	return nil, refuse("there are step folders in more than one place in it: %q and %q; which ones count?", groups[0].top, groups[1].top)
}

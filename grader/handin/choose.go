package handin

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/untrusted"
	"github.com/stubformer/stubformer/grader/workspace"
)

// choose returns the content of a submission that was read.
func (c *collector) choose() *Content {
	content := &Content{Folders: map[string]*workspace.Folder{}, Near: map[string][]string{}}
	for _, name := range slices.Sorted(maps.Keys(c.found)) {
		content.Folders[name] = c.one(name, c.found[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.near)) {
		slices.Sort(c.near[name])
		near := slices.Compact(c.near[name])
		if content.Folders[name] == nil {
			content.Near[name] = near[:min(len(near), shownNear)]
		}
	}
	slices.Sort(c.notes)
	content.Notes = c.notes
	if len(content.Folders) == 0 {
		content.Refused = untrusted.Line(c.nothing(content), untrusted.MaxArg)
	}
	return content
}

// shownNear is how many things that look like a step folder are named.
const shownNear = 3

// nothing says that there is no step folder, and what there is instead.
func (c *collector) nothing(content *Content) string {
	if c.entries == 0 {
		return "there is no step folder in it, for it is empty"
	}
	why := []string{"there is no step folder in it, such as steps/step01_init"}
	for _, name := range slices.Sorted(maps.Keys(content.Near)) {
		near := content.Near[name]
		verb := "looks"
		if len(near) > 1 {
			verb = "look"
		}
		why = append(why, strings.Join(near, ", ")+" "+verb+" like "+name+": rename it so, or hand in a folder of that name with the files in it")
	}
	return strings.Join(append(why, content.Notes...), "; ")
}

// one returns the folder of a step that counts, of those in different places:
// one in a folder called steps comes first, then one that lies less deep. Of two
// that are equal in this and hold something else, neither is taken.
func (c *collector) one(name string, places map[string]*workspace.Folder) *workspace.Folder {
	paths := slices.Sorted(maps.Keys(places))
	filled := func(at string) bool { return len(places[at].Files) > 0 || places[at].Refused != nil }
	if slices.ContainsFunc(paths, filled) { // as a folder that was unpacked into one of its name
		paths = slices.DeleteFunc(paths, func(at string) bool { return !filled(at) })
	}
	slices.SortStableFunc(paths, before)
	first := places[paths[0]]
	for _, at := range paths[1:] {
		switch {
		case same(first, places[at]):
		case before(paths[0], at) < 0:
			c.note("%s: it is not looked at, for %s counts", at, paths[0])
		default:
			one, other := where(paths[0]), where(at)
			c.note("%s is in more than one place: %s and %s; none of them counts", name, one, other)
			return &workspace.Folder{Shown: "steps/" + name, Refused: &workspace.RefusedError{File: "steps/" + name,
				Reason: lang.T("it is in more than one place: %q and %q; which one counts?", one, other)}}
		}
	}
	if len(first.Files) == 0 && first.Refused == nil {
		c.note("%s: it holds no Go files", paths[0])
	}
	return first
}

// before compares two places of a step folder: which counts.
func before(a, b string) int {
	inSteps := func(at string) int {
		if path.Base(path.Dir(at)) == "steps" {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(inSteps(a), inSteps(b)), cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")))
}

// where is the folder in which a step folder lies, as it is shown.
func where(at string) string { return untrusted.Line(path.Dir(at), untrusted.MaxName) }

// same reports whether two folders hold the same.
func same(a, b *workspace.Folder) bool {
	return a.Refused == nil && b.Refused == nil && maps.EqualFunc(a.Files, b.Files, bytes.Equal)
}

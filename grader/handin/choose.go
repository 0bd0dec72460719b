package handin

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
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
		near = near[:min(len(near), shownNear)]
		switch f := content.Folders[name]; {
		case f == nil:
			content.Near[name] = near
		case len(f.Files) == 0 && f.Refused == nil:
			f.Refused = &workspace.RefusedError{File: f.Shown, Reason: lang.T("it holds no Go files, and %s looks like what belongs there: "+
				"put the Go files of the step into a folder %s", strings.Join(near, ", "), name)}
		}
	}
	for _, f := range content.Folders {
		if len(f.Files) == 0 {
			f.Refused = f.Wanting()
		}
	}
	c.notePast()
	slices.Sort(c.notes)
	content.Notes = c.notes
	if len(content.Folders) == 0 {
		content.Refused = untrusted.Line(c.nothing(content), untrusted.MaxArg)
	}
	return content
}

// notePast says which step folders do not count, beside which others.
func (c *collector) notePast() {
	for _, at := range slices.SortedFunc(maps.Keys(c.past), func(a, b passed) int {
		return cmp.Or(cmp.Compare(a.not, b.not), cmp.Compare(a.counts, b.counts))
	}) {
		first, more := c.past[at][0], len(c.past[at])-1
		if more == 0 {
			c.note("%s: it is not looked at, for %s counts", first.not, first.counts)
			continue
		}
		c.note("%s and %d more step folders beside it: they are not looked at, for %s and those beside it count", first.not, more, first.counts)
	}
}

// shownNear is how many things that look like a step folder are named.
const shownNear = 3

// nothing says that there is no step folder, and what there is instead.
func (c *collector) nothing(content *Content) string {
	if c.entries == 0 {
		return "there is no step folder in it, for it is empty"
	}
	why := []string{"there is no step folder in it, such as steps/step01_init"}
	switch {
	case len(content.Near) > 0:
		why = append(why, content.resembles())
	case c.astray != "":
		why = append(why, c.astray+" lies in none: put the Go files of a step into a folder of its name")
	}
	return strings.Join(append(why, content.Notes...), "; ")
}

// resembles says what looks like the first of the missing folders, and what to do.
func (c *Content) resembles() string {
	var like []string
	names := slices.Sorted(maps.Keys(c.Near))
	if file := c.Near[names[0]]; len(names) > 1 && !slices.ContainsFunc(names, func(name string) bool { return !slices.Equal(c.Near[name], file) }) {
		return fmt.Sprintf("%s may belong to %s: hand in a folder of the step's name with it in it",
			strings.Join(file, ", "), strings.Join(names, " or "))
	}
	for _, name := range names {
		verb := "looks"
		if len(c.Near[name]) > 1 {
			verb = "look"
		}
		like = append(like, strings.Join(c.Near[name], ", ")+" "+verb+" like "+name)
	}
	switch more := len(like) - shownNear; {
	case len(like) == 1:
		return like[0] + ": rename it so, or hand in a folder of that name with the files in it"
	case more > 0:
		like = append(like[:shownNear], fmt.Sprintf("and so on, for %d more", more))
	}
	return strings.Join(like, "; ") + ": rename them so, or hand in folders of these names with the files in them"
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
			dirs := passed{counts: where(paths[0]), not: where(at)}
			c.past[dirs] = append(c.past[dirs], passed{counts: paths[0], not: at})
		default:
			one, other := where(paths[0]), where(at)
			return &workspace.Folder{Shown: "steps/" + name, Refused: &workspace.RefusedError{File: "steps/" + name,
				Reason: lang.T("it is in more than one place: %q and %q; which one counts?", one, other)}}
		}
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

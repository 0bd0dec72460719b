package handin

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/workspace"
)

// maxNear is how many paths that look like a step's folder are kept.
const maxNear = 100

// resembles keeps a Go file that may have been meant for a step: its folder, if
// that is called like the step's, or else the file itself, if the step has one of
// that name. Of those that fit no step the first is kept.
func (c *collector) resembles(name string, mode fs.FileMode) {
	if !mode.IsRegular() || !strings.EqualFold(path.Ext(name), ".go") || strings.HasSuffix(name, "_test.go") || c.aside(name) {
		return
	}
	dir, file := path.Split(name)
	dir = strings.TrimSuffix(dir, "/")
	alike := func(folder string) bool { return dir != "" && similar(stem(path.Base(dir)), folder) }
	if slices.ContainsFunc(c.Folders, alike) {
		file, name = "", dir
	}
	for _, folder := range c.Folders {
		if (alike(folder) || file != "" && slices.Contains(workspace.StubNames(folder), strings.ToLower(file))) && len(c.near[folder]) < maxNear {
			c.near[folder] = append(c.near[folder], untrusted.Line(name, untrusted.MaxName))
		}
	}
	if len(c.near) == 0 && c.astray == "" {
		c.astray = untrusted.Line(name, untrusted.MaxName)
	}
}

// similar reports whether a folder's name may stand for that of a step's folder:
// "step2", "Step05_SwiGLU", "swiglu (1)", "05".
func similar(name, folder string) bool {
	name = strings.ToLower(name)
	number, title, _ := strings.Cut(strings.TrimPrefix(folder, "step"), "_")
	n, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	if m := regexp.MustCompile(`^(?:.*step\W*_*)?(\d{1,3})(?:\D.*)?$`).FindStringSubmatch(name); m != nil {
		if got, err := strconv.Atoi(m[1]); err == nil && got == n {
			return true
		}
	}
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, strings.TrimPrefix(name, "step"))
	const telling = 4 // letters; a shorter title is part of many words
	return letters == title || len(title) >= telling && strings.Contains(letters, title)
}

package release

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// introduce says at the top of README.md which edition this is.
func (e *edition) introduce() error {
	file := filepath.Join(e.root, "README.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	title, rest, _ := strings.Cut(string(text), "\n")
	return e.put("README.md", []byte(title+"\n\n"+e.note()+"\n"+strings.TrimLeft(rest, "\n")))
}

// note describes the edition.
func (e *edition) note() string {
	lines := []string{"This edition holds " + e.extent() + "."}
	if e.ForwardOnly {
		lines = append(lines, "Only forward passes are graded: what needs a backward pass is left out of the points.")
	}
	if e.WithoutSolutions {
		lines = append(lines, "It holds no solutions, so that a step is checked on your own earlier steps,",
			"and no oracle: checks that need it, such as fresh random cases, are left out of",
			"the points here. Your instructor's edition makes them.")
	}
	return "> " + strings.Join(lines, "\n> ") + "\n"
}

func (e *edition) extent() string {
	first, last := e.Steps[0], e.Steps[len(e.Steps)-1]
	switch {
	case len(e.leftOut) == 0:
		return "all steps"
	case len(e.Steps) == 1:
		return first.ID
	}
	return fmt.Sprintf("%d steps, %s to %s", len(e.Steps), first.ID, last.ID)
}

// pruneMarkdown takes out of every Markdown file what speaks of files that the
// edition does not hold: each paragraph, list item and row of a table that
// links to one or names one as its subject, and headings with nothing left
// below them.
func (e *edition) pruneMarkdown() error {
	return fs.WalkDir(os.DirFS(e.root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(e.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		there := func(target string) bool { return !e.missing(path.Join(path.Dir(name), target)) }
		pruned := prune(e.unmarked(text), there, e.absent)
		if bytes.Equal(pruned, text) {
			return nil
		}
		return e.put(name, pruned)
	})
}

// marked is what a Markdown text says to those alone who have the solutions.
var marked = regexp.MustCompile(`(?s)<!-- with solutions -->\n+(.*?)<!-- end -->\n*`)

// unmarked takes what is marked out of a student edition.
func (e *edition) unmarked(text []byte) []byte {
	if !e.WithoutSolutions {
		return text
	}
	return marked.ReplaceAll(text, nil)
}

// kept matches commands and folders that a student edition does not have.
var kept = regexp.MustCompile(`--impl solutions|\bgrade (dev|class|release|quiz)\b|(^|\s|\./)solutions/|\breference/oracle\b`)

// absent reports whether code speaks of what the edition does not have.
func (e *edition) absent(code string) bool { return e.WithoutSolutions && kept.MatchString(code) }

// missing reports whether a path of the kit is not in the edition.
func (e *edition) missing(name string) bool {
	at := func(root string) error {
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
		return err
	}
	return filepath.IsLocal(name) && at(e.root) != nil && at(e.kit.Root) == nil
}

// Describe says in a few words what an edition holds.
func Describe(o Options) string {
	e := newEdition(nil, "", o)
	text := e.extent()
	if o.ForwardOnly {
		text += ", forward only"
	}
	if o.Derive {
		text += ", the derivatives left out"
	}
	if o.WithoutSolutions {
		return text + ", for students"
	}
	return text + ", with the solutions"
}

package release

import (
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
	return e.put("README.md", []byte(title+"\n\n"+e.note()+"\n"+rest))
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
		pruned := prune(string(text), func(target string) bool { return !e.missing(path.Join(path.Dir(name), target)) })
		if pruned == string(text) {
			return nil
		}
		return e.put(name, []byte(pruned))
	})
}

// missing tells whether a path of the kit is not in the edition.
func (e *edition) missing(name string) bool {
	at := func(root string) error {
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
		return err
	}
	return filepath.IsLocal(name) && at(e.root) != nil && at(e.kit.Root) == nil
}

// link is a link of Markdown, without its anchor; subject is a row of a table
// or a list item that begins with a path in code.
var (
	link    = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	subject = regexp.MustCompile("^(?:\\||[-*]) `([^`*]+)`")
)

// prune takes out of a Markdown text what speaks of a path that is not there.
func prune(text string, there func(path string) bool) string {
	speaksOfMissing := func(s string) bool {
		for _, m := range append(link.FindAllStringSubmatch(s, -1), subject.FindAllStringSubmatch(s, -1)...) {
			if !strings.Contains(m[1], "://") && !there(m[1]) {
				return true
			}
		}
		return false
	}
	var kept []string
	for _, block := range blocks(text) {
		if !strings.HasPrefix(block, "|") {
			if !speaksOfMissing(block) {
				kept = append(kept, block)
			}
			continue
		}
		var rows []string
		for row := range strings.Lines(block) {
			if !speaksOfMissing(row) {
				rows = append(rows, row)
			}
		}
		if len(rows) > 2 {
			kept = append(kept, strings.Join(rows, ""))
		}
	}
	return strings.Join(withoutEmptySections(kept), "\n")
}

// blocks cuts a text at its empty lines, those inside fences aside; a list
// item, too, is a block.
func blocks(text string) []string {
	var blocks []string
	var block strings.Builder
	fenced := false
	end := func() {
		if block.Len() > 0 {
			blocks = append(blocks, block.String())
			block.Reset()
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if strings.TrimSpace(line) == "" && !fenced {
			end()
			continue
		}
		block.WriteString(line)
	}
	end()
	return blocks
}

// withoutEmptySections drops headings that are followed by nothing, or by one
// of their own level or above.
func withoutEmptySections(blocks []string) []string {
	level := func(block string) int {
		n := len(block) - len(strings.TrimLeft(block, "#"))
		if n == 0 || strings.Count(block, "\n") > 1 {
			return 7
		}
		return n
	}
	var kept []string
	next := 0 // level of what follows
	for i := len(blocks) - 1; i >= 0; i-- {
		if l := level(blocks[i]); l == 7 || next > l {
			kept = append([]string{blocks[i]}, kept...)
			next = l
		}
	}
	return kept
}

// Describe says in a few words what an edition holds.
func Describe(o Options) string {
	e := newEdition(nil, "", o)
	text := e.extent()
	if o.ForwardOnly {
		text += ", forward only"
	}
	if o.WithoutSolutions {
		return text + ", for students"
	}
	return text + ", with the solutions"
}

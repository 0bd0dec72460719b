package lint_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// page is one Markdown file, taken apart.
type page struct {
	links    []string // destinations of links and pictures
	headings []string
	anchors  map[string]bool
	blocks   []block
}

// block is a fenced piece of code.
type block struct{ language, code string }

func parse(source []byte) page {
	p := page{anchors: map[string]bool{}}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			p.links = append(p.links, string(n.Destination))
		case *ast.Image:
			p.links = append(p.links, string(n.Destination))
		case *ast.Heading:
			title := string(n.Lines().Value(source))
			p.headings = append(p.headings, fmt.Sprint(n.Level))
			p.anchors[anchor(title)] = true
		case *ast.FencedCodeBlock:
			p.blocks = append(p.blocks, block{string(n.Language(source)), string(n.Lines().Value(source))})
		}
		return ast.WalkContinue, nil
	})
	return p
}

// anchor is the name that GitHub gives a heading: lower case, spaces to
// hyphens, everything but letters, digits, hyphens and underscores left out.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}

// pages returns every Markdown file of the kit, by its path from the root.
func pages(t *testing.T) (root string, all map[string]page) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	all = map[string]page{}
	err = filepath.WalkDir(kit.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != kit.Root && (name == "testdata" || name == "runs" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(kit.Root, path)
		all[filepath.ToSlash(rel)] = parse(newline.Unix(source))
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return kit.Root, all
}

// broken lists the links of a page that lead nowhere inside the repository.
func broken(root, path string, all map[string]page) []string {
	var dead []string
	for _, link := range all[path].links {
		u, err := url.Parse(link)
		if err == nil && u.Scheme != "" {
			continue
		}
		target := path
		if err == nil && u.Path != "" {
			target = filepath.ToSlash(filepath.Join(filepath.Dir(path), u.Path))
			_, err = os.Stat(filepath.Join(root, target))
		}
		if p, isPage := all[target]; err == nil && isPage && u.Fragment != "" && !p.anchors[u.Fragment] {
			err = fmt.Errorf("no heading is called that")
		}
		if err != nil {
			dead = append(dead, fmt.Sprintf("%s: %s: %v", path, link, err))
		}
	}
	return dead
}

func TestLinks(t *testing.T) {
	root, all := pages(t)
	for path := range all {
		require.Empty(t, broken(root, path, all))
	}
}

// The newest heading of the change log is the version that every report names, but
// for what is not released yet.
func TestVersionIsTheChangeLogs(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(kit.Root, "CHANGELOG.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(newline.Unix(string(text)), "\n## ")
	require.True(t, found)
	newest, rest, _ := strings.Cut(rest, "\n")
	if newest == "Unreleased" {
		_, rest, found = strings.Cut(rest, "\n## ")
		require.True(t, found)
		newest, _, _ = strings.Cut(rest, "\n")
	}
	require.Equal(t, course.Version, newest)
}

func TestBrokenLinksAreSeen(t *testing.T) {
	source := "# A title: of *two* parts\n\n[a](here.md) [b](#a-title-of-two-parts) [c](#nowhere) [d](gone.md) ![e](gone.svg) [f](https://example.org/gone)\n"
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "here.md"), []byte(source), 0o644))
	dead := broken(root, "here.md", map[string]page{"here.md": parse([]byte(source))})
	require.Len(t, dead, 3)
	for i, want := range []string{"#nowhere", "gone.md", "gone.svg"} {
		require.Contains(t, dead[i], want)
	}
}

// TestGoBlocks compiles every Go file that a lesson asks the reader to put into
// the step's folder.
func TestGoBlocks(t *testing.T) {
	root, all := pages(t)
	replace := map[string]string{}
	for path, p := range all {
		for i, b := range p.blocks {
			if b.language != "go" || strings.Contains(filepath.Base(path), ".zh-CN.") { // those are equal to the English ones
				continue
			}
			require.Regexp(t, `^package \w+\n`, b.code, "%s: a Go block is to be a whole file", path)
			file := filepath.Join(t.TempDir(), "block_test.go")
			require.NoError(t, os.WriteFile(file, []byte(b.code), 0o644))
			replace[filepath.Join(root, filepath.Dir(path), fmt.Sprintf("try%d_test.go", i))] = file
		}
	}
	require.NotEmpty(t, replace)
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o644))
	vet := exec.Command("go", "vet", "-overlay="+file, "./steps/...")
	vet.Dir = root
	out, err := vet.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestTranslations holds every translated page to its original: the same
// headings, the same code, the same links.
func TestTranslations(t *testing.T) {
	_, all := pages(t)
	for path, p := range all {
		original, ok := all[strings.Replace(path, ".zh-CN.md", ".md", 1)]
		if !strings.HasSuffix(path, ".zh-CN.md") || !ok {
			continue
		}
		require.Equal(t, original.headings, p.headings, "%s: the levels of the headings", path)
		require.Equal(t, len(original.blocks), len(p.blocks), "%s: the blocks of code", path)
		for i, b := range original.blocks {
			if b.language == "go" {
				require.Equal(t, b, p.blocks[i], "%s: a Go file", path)
			}
		}
		require.Equal(t, untranslated(original.links), untranslated(p.links), "%s: the links", path)
	}
}

// untranslated returns links as those of the English page.
func untranslated(links []string) []string {
	var english []string
	for _, link := range links {
		if !strings.Contains(link, "://") {
			link, _, _ = strings.Cut(link, "#") // a heading's anchor is in the page's language
		}
		english = append(english, strings.Replace(link, ".zh-CN.md", ".md", 1))
	}
	return english
}

package browser_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestPages lets axe-core look at what `grade class` writes for a browser: the page of a
// class, and those of a student who has done the work and of one who has not.
func TestPages(t *testing.T) {
	if os.Getenv("AXE") == "" {
		t.Skip("AXE names no script of axe-core")
	}
	k := newProgram(t)
	dir, out := t.TempDir(), t.TempDir()
	for student, from := range map[string]string{"ada": "solutions", "ben": "steps"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, student, "step02_linear"), os.DirFS(filepath.Join(root, from, "step02_linear"))))
	}
	k.run(t, "class", dir, "--out", out, "--steps", "02-03", "--lang", "en")
	b := newTab(t)
	for _, page := range []string{"index.html", "students/ada.html", "students/ben.html"} {
		b.do(chromedp.Navigate("file://" + filepath.Join(out, page)))
		require.Contains(t, value[string](b, `document.body.textContent`), "step02")
		for _, width := range []int64{375, 1280} {
			b.do(chromedp.EmulateViewport(width, 1000))
			b.accessible(page)
		}
	}
}

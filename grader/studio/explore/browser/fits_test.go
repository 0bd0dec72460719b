package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// fits opens the page in both themes and languages and at three widths: nothing
// is wider than the screen, and nothing is without words. With SHOTS=DIR it leaves
// pictures there; with AXE=FILE, the script of axe-core, that finds nothing serious.
func fits(t *testing.T, k kit) {
	address := k.serve(t)
	b := newTab(t)
	b.open(address)
	b.fits("", 375, 1024, 1920)
	_, wrong := b.seen()
	require.Empty(t, wrong)
}

// fits looks at an open page; its pictures are named by a prefix.
func (b *tab) fits(prefix string, widths ...int64) {
	t := b.T
	t.Helper()
	for _, language := range []string{"en", "zh"} {
		for _, theme := range []string{"light", "dark"} {
			b.run(fmt.Sprintf(`language = %q; document.documentElement.dataset.theme = %q; redraw()`, language, theme))
			b.accessible(language + "-" + theme)
			for _, width := range widths {
				b.do(chromedp.EmulateViewport(width, 1000))
				name := fmt.Sprintf("%s%s-%s-%d", prefix, language, theme, width)
				require.Equal(t, int(width), value[int](b, `document.documentElement.scrollWidth`), name)
				require.Empty(t, value[[]string](b, `[...document.querySelectorAll("h2, button, label, dt")]
					.filter((e) => e.textContent === "" && !e.getAttribute("aria-label")).map((e) => e.outerHTML)`), name)
				require.Equal(t, theme == "dark", value[bool](b, `matchMedia("(min-width: 1px)").matches &&
					getComputedStyle(document.body).backgroundColor === "rgb(19, 21, 25)"`), name)
				if dir := os.Getenv("SHOTS"); dir != "" {
					shot := get(b, chromedp.FullScreenshot(100))
					require.NoError(t, os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o600))
				}
			}
		}
	}
}

// accessible lets axe-core look at an open page: whoever sees little, or uses no mouse,
// finds what the others find.
func (b *tab) accessible(name string) {
	b.Helper()
	file := os.Getenv("AXE")
	if file == "" {
		return
	}
	script, err := os.ReadFile(file)
	require.NoError(b, err)
	b.run(string(script))
	require.Empty(b, get(b, chromedp.Evaluate[[]string](`axe.run().then((found) => found.violations
		.filter((v) => v.impact === "serious" || v.impact === "critical")
		.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.html.slice(0, 200) + " " + n.failureSummary)))`, chromedp.EvalAwaitPromise)), name)
}

package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// frozen opens a page that grade explore --html wrote, as a file.
func frozen(t *testing.T, k kit) {
	file := filepath.Join(t.TempDir(), "view.html")
	args := []string{"--text", typed, "--off", "layer1.head1", "--snapshot", "80", "--at", "9", "--temperature", "1.3"}
	k.explore(t, append(args, "--html", file)...)
	v := k.view(t, args...)
	b := newTab(t)
	b.open("file://" + file)
	require.InDelta(t, v.Reading.Loss, value[float64](b, `Number(byID("loss").dataset.value)`), epsilon)
	b.sameAt(v, 9)
	b.click(4)
	b.sameAt(v, 4)
	require.True(t, value[bool](b, `byID("temperature").disabled && byID("temperature").value === "1.3"`))
	require.Equal(t, "step 80", value[string](b, `byID("snapshot-value").textContent`))
	require.Zero(t, value[int](b, `[...document.querySelectorAll("[data-live]")].filter((e) => e.offsetParent).length`))
	require.Equal(t, 2*(4+3), value[int](b, `document.querySelectorAll(".part[data-loss]:not([data-loss=''])").length`))
	requests, wrong := b.seen()
	require.Empty(t, wrong)
	for _, r := range requests {
		require.True(t, r == "file://"+file || strings.HasPrefix(r, "data:"), r)
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(data), "http://127")
}

// foreign lets another page, in the same browser, ask the server.
func foreign(t *testing.T, k kit) {
	address := k.serve(t)
	origin, token, _ := strings.Cut(address, "/#")
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<p>another page") }))
	defer other.Close()
	b := newTab(t)
	b.do(chromedp.Navigate(other.URL))
	attempt := func(mode string) string {
		return get(b, chromedp.Evaluate[string](fmt.Sprintf(`fetch(%q, {mode: %q, headers: {Authorization: "Bearer " + %q}})
			.then(async (r) => r.type + ":" + await r.text(), (e) => "refused")`, origin+"/api/model", mode, token), chromedp.EvalAwaitPromise))
	}
	require.Equal(t, "refused", attempt("cors"))
	require.Equal(t, "refused", attempt("no-cors"))

	b.do(chromedp.Navigate(origin + "/"))
	b.until(`byID("status").textContent.includes("the token is missing or wrong")`)
	b.do(chromedp.Navigate(origin + "/#nonsense"))
	b.until(`byID("status").textContent.includes("the token is missing or wrong")`)
}

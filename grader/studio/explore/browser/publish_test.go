package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// published opens a page that grade publish wrote, as a file, and uses it.
func published(t *testing.T, k kit) {
	file := k.publish(t, "--prompt", typed, "--by", "Ada")
	b := newTab(t)
	b.open("file://" + file)
	require.Equal(t, typed, value[string](b, `byID("source").value`))
	require.Contains(t, value[string](b, `byID("kicker").textContent`), "Ada")
	require.Contains(t, value[string](b, `byID("fit").textContent`), "no model can come below 0.09")

	require.Equal(t, portable(t, k, file, b.ids()), b.logits(b.ids()), "bit for bit those of the portable kernels on this processor")
	v := k.view(t, "--text", typed)
	require.InDelta(t, v.Reading.Loss, value[float64](b, `Number(byID("loss").dataset.value)`), 1e-4)
	for layer, weights := range value[[][][][]float64](b, `S.attention.slice(1)`) {
		for head := range weights {
			require.InDeltaSlice(t, v.Attention[layer][head][12], weights[head][12], 1e-4)
		}
	}

	b.slide("temperature", kb.Home, "0.00")
	b.do(chromedp.Click("#go"))
	b.settled()
	written := string(k.run(t, "generate", k.dir, "--impl", "solutions", "--prompt", typed, "--temperature", "0", "--tokens", "200"))
	require.Equal(t, strings.TrimSuffix(written, "\n"), value[string](b, `byID("source").value`), "what grade generate writes")
	require.Len(t, value[[]float64](b, `S.nats.slice(1)`), len(typed)+199, "each has its surprise")

	b.slide("temperature", strings.Repeat(kb.ArrowRight, 16), "0.80")
	b.do(chromedp.Focus("#tokens [aria-selected=true]"), chromedp.KeyEvent("w"))
	b.until(`S.text.length > 0 && document.body.dataset.busy === "no"`)
	b.stops()
	b.survives()
	b.fill("8 €")
	b.do(chromedp.Click("#go"))
	b.until(`byID("status").textContent.includes("the model has never seen '8', '€'")`)
	b.read(typed)
	b.fits("published-", 375, 1280)
	b.silent(file)
}

// publish writes the page of the model and returns its file.
func (k kit) publish(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	k.run(t, append([]string{"publish", k.dir, "--impl", "solutions", "--lang", "en", "--out", file}, args...)...)
	return file
}

// silent sees to it that nothing went wrong, and that nothing was asked for but what the
// page itself holds.
func (b *tab) silent(file string) {
	b.Helper()
	requests, wrong := b.seen()
	require.Empty(b, wrong)
	for _, r := range requests {
		require.True(b, r == "file://"+file || strings.HasPrefix(r, "data:") || strings.HasPrefix(r, "blob:"), r)
	}
}

// ids are the tokens of the text.
func (b *tab) ids() []int { b.Helper(); return value[[]int](b, `S.text`) }

// logits asks the model of a published page.
func (b *tab) logits(ids []int) []float32 {
	b.Helper()
	asked, err := json.Marshal(ids)
	require.NoError(b, err)
	return get(b, chromedp.Evaluate[[]float32](fmt.Sprintf(`request("/api/logits", %s)`, asked), chromedp.EvalAwaitPromise))
}

// portable returns the logits of the same code and parameters on this processor, with the
// portable kernels.
func portable(t *testing.T, k kit, file string, ids []int) []float32 {
	t.Helper()
	dir := t.TempDir()
	k.run(t, "bench", "overlay", filepath.Join(dir, "overlay.json"))
	build := exec.Command("go", "build", "-tags", "portable", "-overlay", filepath.Join(dir, "overlay.json"),
		"-o", filepath.Join(dir, "page"), "./grader/programs/page")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	data := regexp.MustCompile(`(?s)<script type="application/json" id="published">(.*?)</script>`).FindSubmatch(page)
	require.NotNil(t, data)
	var held struct{ Given json.RawMessage }
	require.NoError(t, json.Unmarshal(data[1], &held))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "model.json"), held.Given, 0o600))
	parameters := filepath.Join(dir, "parameters.safetensors")
	k.run(t, "export", k.dir, parameters, "--impl", "solutions")
	run := exec.Command(filepath.Join(dir, "page"), filepath.Join(dir, "model.json"), parameters)
	question, err := json.Marshal(map[string]any{"path": "/api/logits", "body": ids})
	require.NoError(t, err)
	run.Stdin = bytes.NewReader(question)
	out, err = run.Output()
	require.NoError(t, err)
	var told struct{ Answer []float32 }
	require.NoError(t, json.Unmarshal(out, &told))
	require.NotEmpty(t, told.Answer)
	return told.Answer
}

// stops lets the model write, and stops it.
func (b *tab) stops() {
	b.Helper()
	b.read(typed)
	b.run(`byID("go").click(), byID("go").click()`) // before a token has come
	require.Equal(b, "yes", value[string](b, `document.body.dataset.busy`), "until it is stopped")
	b.settled()
	require.Equal(b, typed, value[string](b, `byID("source").value`))
	b.do(chromedp.Click("#go"))
	b.until(`S.text.length > 30`)
	b.do(chromedp.Click("#go"))
	b.settled()
	require.Equal(b, "Let it write", value[string](b, `byID("go").textContent`))
	require.Equal(b, value[string](b, `S.text.map((id) => S.model.vocab[id]).join("")`), value[string](b, `byID("source").value`))
}

// survives ends the code of the model as a panic does, and asks again.
func (b *tab) survives() {
	b.Helper()
	b.run(`hear(model.worker, { ended: "panic: <b>oh</b>" })`)
	b.read(typed)
	require.Empty(b, value[string](b, `byID("status").textContent`))
	told := get(b, chromedp.Evaluate[string](`(async () => {
		const lost = request("/api/text", [0]);
		hear(model.worker, { ended: "panic: <b>oh</b>" });
		return lost.then(() => "", (e) => e.message);
	})()`, chromedp.EvalAwaitPromise))
	require.Contains(b, told, "panic: <b>oh</b>")
}

// hostile is a text that would be a page, or run, if it were not shown as text.
const hostile = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">&lt;b&gt;{{.}}${1}<!--"

// publishesHostile publishes a model whose names, corpus and prompt are hostile.
func publishesHostile(t *testing.T, k kit) {
	dir := t.TempDir()
	text, config := filepath.Join(dir, "<img src=x onerror=alert(1)>&amp;.txt"), filepath.Join(dir, "little.json")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat(hostile+"\n", 40)), 0o600))
	require.NoError(t, os.WriteFile(config, []byte(settings), 0o600))
	k.dir = filepath.Join(dir, "<b>run<!--")
	k.run(t, "train", "--impl", "solutions", "--config", config, "--corpus", text, "--steps", "2", "--out", k.dir)
	file := k.publish(t, "--title", hostile, "--by", hostile, "--prompt", hostile)
	b := newTab(t)
	b.open("file://" + file)
	for id, want := range map[string]string{"name": hostile, "kicker": "A language model by " + hostile + ", which runs in your browser"} {
		require.Equal(t, want, value[string](b, fmt.Sprintf(`byID(%q).textContent`, id)))
	}
	require.Equal(t, hostile, value[string](b, `byID("source").value`))
	require.Contains(t, value[string](b, `byID("facts").textContent`), filepath.Base(text))
	require.Equal(t, hostile, value[string](b, `[...document.querySelectorAll("#tokens .token:not(.end)")].map((e) => e.textContent).join("")`))
	require.NotEqual(t, "run", value[string](b, `document.title`))
	require.Zero(t, value[int](b, `document.querySelectorAll("img, b[onclick], iframe, object").length`))
	for _, attempt := range []string{`fetch("data:,x")`, `fetch("https://example.org/")`, `new Promise((ok, no) => {
		const w = new WebSocket("wss://example.org/"); w.onopen = ok; w.onerror = no; })`} {
		require.Equal(t, "refused", get(b, chromedp.Evaluate[string](attempt+`.then(() => "allowed", () => "refused")`, chromedp.EvalAwaitPromise)), attempt)
	}
}

package browser_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// epsilon is how far two numbers may be apart that are the same: the page gets all
// digits of the answers.
const epsilon = 1e-12

const typed = "He wanted a red horse."

// TestBrowser opens the page of one model.
func TestBrowser(t *testing.T) {
	k := newKit(t)
	for name, test := range map[string]func(*testing.T, kit){
		"the page is used":             uses,
		"a frozen page":                frozen,
		"another page asks":            foreign,
		"every width, theme, language": fits,
		"a published page":             published,
		"a hostile model is published": publishesHostile,
	} {
		t.Run(name, func(t *testing.T) { test(t, k) })
	}
}

// uses uses the page as a person does, and compares what it shows with what the
// command line prints.
func uses(t *testing.T, k kit) {
	address := k.serve(t)
	b := newTab(t)
	b.open(address)
	require.Equal(t, strings.Split(address, "#")[0], value[string](b, `location.href`), "the token has left the address")

	for _, stage := range []struct {
		name string
		run  func(*tab, kit)
	}{
		{"reads the validation text", begins},
		{"reads what is typed", types},
		{"a click on a token", clicks},
		{"the sliders", slides},
		{"attention", attends},
		{"parts are switched off", switches},
		{"an earlier snapshot", travels},
		{"writes on", writes},
		{"the server is slow, and gone", waits},
		{"the view is saved", saves},
		{"by keyboard", keys},
	} {
		ok := t.Run(stage.name, func(t *testing.T) {
			stage.run(&tab{T: t, ctx: b.ctx}, k)
		})
		require.True(t, ok)
	}
	requests, wrong := b.seen()
	require.Len(t, wrong, 1, "%v", wrong)
	require.Contains(t, wrong[0], "422", "the text that the model does not know")
	origin := strings.Split(address, "#")[0]
	for _, r := range requests {
		require.True(t, strings.HasPrefix(r, origin) || strings.HasPrefix(r, "data:"), "a request leaves the machine: %s", r)
	}
	require.Greater(t, len(requests), 20)
}

// same compares the page with the command line, all but the places.
func (b *tab) same(v view) {
	b.Helper()
	require.InDelta(b, v.Reading.Loss, value[float64](b, `Number(byID("loss").dataset.value)`), epsilon)
	require.InDeltaSlice(b, v.Reading.Surprise, value[[]float64](b,
		`[...document.querySelectorAll("#tokens [data-nats]")].slice(1).map((e) => Number(e.dataset.nats))`), epsilon)
	losses := value[map[string]float64](b,
		`Object.fromEntries([...document.querySelectorAll("[data-part][data-loss]")].map((e) => [e.dataset.part, Number(e.dataset.loss)]))`)
	require.Len(b, losses, 2*(4+3))
	for _, layer := range v.Without {
		for _, part := range layer {
			require.InDelta(b, part.Loss, losses[part.Part], epsilon, part.Part)
		}
	}
	past := value[[]float64](b, `[...document.querySelectorAll("#chart circle")].map((e) => Number(e.dataset.loss))`)
	require.Len(b, past, 4)
	for i, r := range v.History {
		require.InDelta(b, r.Loss, past[i], epsilon)
	}
}

// sameAt compares what is shown of the chosen token.
func (b *tab) sameAt(v view, at int) {
	b.Helper()
	require.Equal(b, at, value[int](b, `Number(document.querySelector("#tokens [aria-selected=true]").dataset.t)`))
	place := v.Places[at-1]
	guesses := value[[][2]float64](b, `[...document.querySelectorAll(".guess")].map((e) => [Number(e.dataset.id), Number(e.dataset.p)])`)
	require.Len(b, guesses, len(place.Expected))
	for i, g := range place.Expected {
		require.Equal(b, g.ID, int(guesses[i][0]))
		require.InDelta(b, g.P, guesses[i][1], epsilon)
	}
	stages := value[[]float64](b, `[...document.querySelectorAll(".stage")].map((e) => Number(e.dataset.nats))`)
	require.Len(b, stages, len(place.Stages))
	for i, s := range place.Stages {
		require.InDelta(b, s.Surprise, stages[i], epsilon, s.Part)
	}
	for _, s := range place.Sizes[1:] {
		shown := value[float64](b, fmt.Sprintf(`Number(document.querySelector('.part[data-part=%q]').dataset.size)`, s.Part))
		require.InDelta(b, s.Norm, shown, epsilon, s.Part)
	}
}

func begins(b *tab, k kit) {
	v := k.view(b.T)
	require.NotEmpty(b, v.IDs)
	b.same(v)
}

// read types a text and has it read.
func (b *tab) read(text string) {
	b.Helper()
	b.fill(text)
	b.do(chromedp.Click("#read"))
	b.settled()
}

// fill types a text over what stands there.
func (b *tab) fill(text string) {
	b.Helper()
	b.run(`byID("source").select()`)
	b.do(chromedp.SendKeys("#source", text))
}

func types(b *tab, k kit) {
	b.read(typed)
	v := k.view(b.T, "--text", typed)
	require.Len(b, v.IDs, len(typed))
	b.same(v)
	b.fill("He 8 €")
	b.do(chromedp.Click("#read"))
	b.until(`byID("status").textContent.includes("the model has never seen '8', '€'")`)
	marked := `[byID("source").value.slice(byID("source").selectionStart, byID("source").selectionEnd), byID("source").getAttribute("aria-invalid")]`
	require.Equal(b, []string{"8", "true"}, value[[]string](b, marked), "what the model does not know is marked")
	b.fill(" ")
	b.do(chromedp.KeyEvent(kb.Backspace), chromedp.Click("#read"))
	b.settled()
	require.Equal(b, []any{1.0, "–"}, value[[]any](b, `[S.text.length, byID("loss").textContent]`), "a line end, which nothing foretold")
	b.read(strings.Repeat(typed+" ", 3))
	require.True(b, value[bool](b, `!byID("cut").hidden && byID("cut").textContent.includes("the last 24 of 69 tokens")`))
	b.read(typed)
	require.Equal(b, []any{"", true, nil}, value[[]any](b, `[byID("status").textContent, byID("cut").hidden, byID("source").getAttribute("aria-invalid")]`))
}

// waits sees what the page says while the server is slow, and when it is gone.
func waits(b *tab, k kit) {
	b.run(`window.truly = window.fetch; window.fetch = (...all) => new Promise((go) => setTimeout(go, 2500)).then(() => window.truly(...all))`)
	b.do(chromedp.Click("#read"))
	b.until(`byID("status").textContent.includes("still reading")`)
	b.run(`window.fetch = window.truly`)
	b.settled()
	b.run(`window.fetch = () => Promise.reject(new Error("gone"))`)
	b.do(chromedp.Click("#write"))
	b.until(`byID("status").textContent.includes("The server does not answer") && document.body.dataset.busy === "no"`)
	b.run(`window.fetch = window.truly`)
	b.read(typed)
	require.Empty(b, value[string](b, `byID("status").textContent`))
}

// click clicks on a token.
func (b *tab) click(at int) {
	b.Helper()
	b.do(chromedp.Click(fmt.Sprintf(`#tokens [data-t="%d"]`, at)))
	b.until(fmt.Sprintf(`S.shown === %d`, at))
	b.settled()
}

func clicks(b *tab, k kit) {
	v := k.view(b.T, "--text", typed)
	hint := `Boolean(byID("choose-hint").offsetParent)`
	require.True(b, value[bool](b, hint), "that a token can be chosen is said")
	require.Contains(b, value[string](b, `byID("token-is").textContent`), "A token is a character")
	for _, at := range []int{1, 13, len(typed) - 1, len(typed)} {
		b.click(at)
		b.sameAt(v, at)
		require.Equal(b, []int{at - 1}, value[[]int](b, `[...document.querySelectorAll(".predicts")].map((e) => Number(e.dataset.t))`),
			"the token that foretells the chosen one is marked")
	}
	require.False(b, value[bool](b, hint), "to whoever has done it no more")
	require.Contains(b, value[string](b, `byID("looks-note").textContent`), "The next token is foretold at “.”")
	b.click(13)
	require.Contains(b, value[string](b, `byID("looks-note").textContent`), "“e” is foretold at “r”, just before it, where layer 1")
}

// slide moves a slider as a person does, by its keys.
func (b *tab) slide(id, keys, want string) {
	b.Helper()
	b.do(chromedp.Focus("#"+id), chromedp.KeyEvent(keys))
	b.until(fmt.Sprintf(`byID("%s-value").textContent === %q`, id, want))
	b.settled()
}

func slides(b *tab, k kit) {
	b.click(13)
	cold := value[float64](b, `Number(document.querySelector(".guess").dataset.p)`)
	place := `[...document.querySelectorAll("#expected input")].map((e) => e.getBoundingClientRect().top + scrollY)`
	raw := `document.querySelectorAll(".guess .bar b").length`
	lay := value[[]float64](b, place)
	require.Zero(b, value[int](b, raw))
	b.slide("temperature", strings.Repeat(kb.ArrowRight, 10), "1.50")
	b.until(fmt.Sprintf(`Number(document.querySelector(".guess").dataset.p) < %g`, cold))
	b.slide("top-p", strings.Repeat(kb.ArrowLeft, 4), "0.80")
	v := k.view(b.T, "--text", typed, "--temperature", "1.5", "--top-p", "0.8")
	b.until(fmt.Sprintf(`document.querySelectorAll(".guess").length === %d`, len(v.Places[12].Expected)))
	b.sameAt(v, 13)
	require.Equal(b, lay, value[[]float64](b, place), "a slider that is used stays where it is")
	require.Equal(b, len(v.Places[12].Expected), value[int](b, raw), "the model's own probability stands in each bar")
	b.slide("temperature", strings.Repeat(kb.ArrowLeft, 10), "1.00")
	b.slide("top-p", kb.End, "1.00")
}

func attends(b *tab, k kit) {
	v := k.view(b.T, "--text", typed)
	b.click(13)
	heads := []string{"head 1", "head 2", "head 3", "head 4"}
	require.Equal(b, append(heads, "layer 1", "layer 2"), value[[]string](b, `[...document.querySelectorAll("#heads .label")].map((e) => e.textContent)`))
	require.Equal(b, append(heads, heads...), value[[]string](b, `[...document.querySelectorAll(".heads-on-path .name")].map((e) => e.textContent)`))
	for layer := range 2 {
		for head := range 4 {
			b.do(chromedp.Click(fmt.Sprintf(`#heads [data-layer="%d"][data-head="%d"]`, layer+1, head+1)))
			row := v.Attention[layer][head][12]
			arcs := value[[][2]float64](b, `[...document.querySelectorAll("#arcs path")].map((e) => [Number(e.dataset.t), Number(e.dataset.w)])`)
			strong := 0
			for _, w := range row {
				if w >= 0.01 {
					strong++
				}
			}
			require.Len(b, arcs, strong, "an arc to every token that is looked at")
			for _, arc := range arcs {
				require.InDelta(b, row[int(arc[0])], arc[1], epsilon)
			}
			b.do(chromedp.Focus("#map"), chromedp.KeyEvent(kb.ArrowLeft)) // the first key shows where one is
			for key := 12; key >= 0; key-- {
				require.InDelta(b, row[key], value[float64](b, `Number(byID("map-note").dataset.w)`), epsilon, "key %d", key)
				b.do(chromedp.KeyEvent(kb.ArrowLeft))
			}
		}
	}
	b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	b.until(`S.shown === 14`)
	b.settled()
	x, y := value[float64](b, `S.map.left + 3.5 * S.map.cell`), value[float64](b, `S.map.left + 7.5 * S.map.cell`)
	b.run(fmt.Sprintf(`{ const r = byID("map").getBoundingClientRect();
		byID("map").dispatchEvent(new PointerEvent("pointermove", {clientX: r.left + %g, clientY: r.top + %g})) }`, x, y))
	require.InDelta(b, v.Attention[1][3][7][3], value[float64](b, `Number(byID("map-note").dataset.w)`), epsilon, "under the pointer")
	b.click(13)
}

func switches(b *tab, k kit) {
	b.do(chromedp.Click(`.part[data-part="layer1.head2"]`))
	b.settled()
	b.do(chromedp.Click(`.part[data-part="layer2.ffn"]`))
	b.settled()
	v := k.view(b.T, "--text", typed, "--off", "layer1.head2,layer2.ffn")
	require.NotEqual(b, v.Whole.Loss, v.Reading.Loss)
	require.InDelta(b, v.Whole.Loss, value[float64](b, `Number(byID("whole").dataset.value)`), epsilon)
	require.InDelta(b, v.Reading.Loss, value[float64](b, `Number(byID("loss").dataset.value)`), epsilon)
	b.click(13)
	b.sameAt(v, 13)
	require.Equal(b, "false", value[string](b, `document.querySelector('.part[data-part="layer2.ffn"]').getAttribute("aria-pressed")`))
	b.do(chromedp.Click("#all-on"))
	b.settled()
	b.same(k.view(b.T, "--text", typed))
}

func travels(b *tab, k kit) {
	b.do(chromedp.Focus("#snapshot"), chromedp.KeyEvent(kb.Home))
	b.until(`byID("snapshot-value").textContent === "step 0"`)
	b.settled()
	first := k.view(b.T, "--text", typed, "--snapshot", "0")
	b.same(first)
	b.click(13)
	b.sameAt(first, 13)
	b.do(chromedp.KeyEvent("]"))
	b.until(`byID("snapshot-value").textContent === "step 40"`)
	b.settled()
	b.same(k.view(b.T, "--text", typed, "--snapshot", "40"))
	b.do(chromedp.Focus("#snapshot"), chromedp.KeyEvent(kb.End))
	b.until(`byID("snapshot-value").textContent === "now"`)
	b.settled()
	b.same(k.view(b.T, "--text", typed))
}

func writes(b *tab, k kit) {
	b.slide("temperature", kb.Home, "0.00")
	b.read(typed)
	b.do(chromedp.Click("#write-more"))
	b.settled()
	written := string(k.run(b.T, "generate", k.dir, "--impl", "solutions", "--prompt", typed, "--temperature", "0", "--tokens", "20"))
	require.Equal(b, strings.TrimSuffix(written, "\n"), value[string](b, `byID("source").value`), "what grade generate writes")
	require.Equal(b, strings.TrimSuffix(written, "\n"), value[string](b, `S.text.map((id) => S.model.vocab[id]).join("")`))
	b.slide("temperature", strings.Repeat(kb.ArrowRight, 20), "1.00")

	b.read(typed)
	b.click(len(typed))
	second := value[int](b, `Number(document.querySelectorAll(".guess")[1].dataset.id)`)
	b.do(chromedp.Click(".guesses li:nth-child(2) .guess"))
	b.settled()
	require.Equal(b, second, value[int](b, `S.text.at(-1)`))
	require.Len(b, value[[]int](b, `S.text`), len(typed)+1)
	b.read(typed)
}

// saves lets the page make a file, and looks at it in the place of the browser.
func saves(b *tab, k kit) {
	b.click(13)
	b.run(`HTMLAnchorElement.prototype.click = () => {};
		URL.createObjectURL = (file) => { file.text().then((text) => { window.saved = text; }); return "" }`)
	b.do(chromedp.Click("#freeze"))
	b.until(`Boolean(window.saved)`)
	data := regexp.MustCompile(`(?s)<script type="application/json" id="view">(.*?)</script>`).
		FindStringSubmatch(value[string](b, `window.saved`))
	require.NotNil(b, data)
	var saved view
	require.NoError(b, json.Unmarshal([]byte(data[1]), &saved))
	require.Equal(b, k.view(b.T, "--text", typed), saved)
}

func keys(b *tab, k kit) {
	b.click(13)
	b.do(chromedp.KeyEvent(kb.ArrowLeft))
	b.until(`S.shown === 12 && document.activeElement.dataset.t === "12"`)
	b.do(chromedp.KeyEvent(kb.End))
	b.until(fmt.Sprintf(`S.shown === %d`, len(typed)))
	b.do(chromedp.KeyEvent(kb.Home))
	b.until(`S.shown === 1`)
	b.do(chromedp.Focus("#heads [aria-checked=true]"), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowLeft))
	b.until(`S.layer === 1 && S.head === 3 && document.activeElement.dataset.head === "3"`)
	b.do(chromedp.KeyEvent("?"))
	b.until(`byID("help").open`)
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(`!byID("help").open`)
	b.do(chromedp.KeyEvent("w"))
	b.settled()
	require.Len(b, value[[]int](b, `S.text`), len(typed)+1)
	b.do(chromedp.KeyEvent("/"))
	b.until(`document.activeElement.id === "source"`)
}

package browser_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPace says how fast a published page is; what it says is in docs/explore.
func TestPace(t *testing.T) {
	k := newKit(t)
	file := k.publish(t, "--prompt", "He ")
	b := newTab(t)
	b.do(chromedp.Navigate("file://" + file))
	b.until(`byID("guesses").children.length > 0`)
	t.Logf("next tokens are shown after %.2f s", value[float64](b, `performance.now()`)/1000)
	b.settled()
	for name, script := range map[string]string{
		"as far as the context reaches": `S.text.slice(-3), S.model.context - 3`,
		"beyond the context":            `Array(S.model.context).fill(S.text[0]), 200`,
	} {
		took := get(b, chromedp.Evaluate[float64](fmt.Sprintf(`(async (ids, tokens) => {
			const ask1 = () => ask("write", {ids, tokens, temperature: 1, top_p: 1, seed: 1});
			await ask1();
			const begun = performance.now();
			await ask1();
			return tokens / (performance.now() - begun) * 1000;
		})(%s)`, script), chromedp.EvalAwaitPromise))
		t.Logf("%s: %.0f tokens a second", name, took)
	}
}

// Package browser_test opens the page of grade explore in a real browser. It is a
// module of its own, so that nobody else downloads what drives the browser.
package browser_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// root is the kit's.
const root = "../../../.."

// kit is a program grade and a model that it has trained.
type kit struct {
	grade, dir string
	views      map[string]view // that it has printed, by its arguments
}

// settings are a model that trains in a moment.
const settings = `{"model": {"context_length": 24, "d_model": 32, "num_layers": 2, "num_heads": 4, "d_ff": 48},
 "recipe": {"batch": 8, "steps": 120, "warmup": 10, "lr_max": 0.01, "eval_every": 40, "eval_batches": 2, "save_every": 40}}`

// newProgram builds grade, or takes the program that GRADE names, if that is set.
func newProgram(t *testing.T) kit {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("chromium is not installed")
	}
	if given := os.Getenv("GRADE"); given != "" {
		return kit{grade: given}
	}
	k := kit{grade: filepath.Join(t.TempDir(), "grade")}
	build := exec.Command("go", "build", "-o", k.grade, "./cmd/grade")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return k
}

// newKit has a program and trains a model, or takes the one in EXPLORE_MODEL.
func newKit(t *testing.T) kit {
	t.Helper()
	dir, k := t.TempDir(), newProgram(t)
	k.dir, k.views = filepath.Join(dir, "village"), map[string]view{}
	if given := os.Getenv("EXPLORE_MODEL"); given != "" {
		k.dir = given
		return k
	}
	config := filepath.Join(dir, "little.json")
	require.NoError(t, os.WriteFile(config, []byte(settings), 0o600))
	k.run(t, "train", "--impl", "solutions", "--config", config, "--corpus", "village", "--out", k.dir)
	return k
}

// run runs grade and returns what it prints.
func (k kit) run(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(k.grade, args...)
	cmd.Dir = root
	var wrong strings.Builder
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	require.NoError(t, err, "%s", wrong.String())
	return out
}

// explore runs grade explore on the model.
func (k kit) explore(t *testing.T, args ...string) []byte {
	t.Helper()
	return k.run(t, append([]string{"explore", k.dir, "--impl", "solutions", "--lang", "en"}, args...)...)
}

// view is what the command line says of a text.
type view struct {
	IDs     []int
	Model   struct{ Vocab []string }
	Reading reading
	Whole   reading
	Places  []struct {
		Expected []struct {
			ID int
			P  float64
		}
		Stages []struct {
			Part     string
			Surprise float64
		}
		Sizes []struct {
			Part string
			Norm float64
		}
	}
	Attention [][][][]float64
	Without   [][]struct {
		Part string
		Loss float64
	}
	History []reading
}

type reading struct {
	Loss     float64
	Surprise []float64
}

func (k kit) view(t *testing.T, args ...string) (v view) {
	t.Helper()
	asked := strings.Join(args, " ")
	if v, ok := k.views[asked]; ok {
		return v
	}
	require.NoError(t, json.Unmarshal(k.explore(t, append(args, "--json")...), &v))
	k.views[asked] = v
	return v
}

// serve serves the page of the model and returns its address, until the test ends.
func (k kit) serve(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(k.grade, "explore", k.dir, "--impl", "solutions", "--lang", "en")
	cmd.Dir = root
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.NoError(t, cmd.Wait(), "Ctrl-C is how it ends")
	})
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/#\w+`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := address.FindString(lines.Text()); found != "" {
			return found
		}
	}
	require.Fail(t, "grade explore printed no address")
	return ""
}

// tab is a page in the browser.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // all that it asked for
	wrong    []string // what went wrong in its scripts, or against its policy
}

// newTab opens the browser.
func newTab(t *testing.T) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("hide-scrollbars", true))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(func() { end(); stop() })
	b := &tab{T: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, b.note))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	return b
}

// note writes down what happens in the tab.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, fmt.Sprintf("%s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *log.EventEntryAdded:
		b.wrong = append(b.wrong, e.Entry.Text)
	}
}

// seen returns what was asked for, and what went wrong.
func (b *tab) seen() (requests, wrong []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests), slices.Clone(b.wrong)
}

// get does something in the browser that has a result.
func get[V any](b *tab, action chromedp.Action[V]) V {
	b.Helper()
	ctx, stop := context.WithTimeout(b.ctx, time.Minute)
	defer stop()
	v, err := chromedp.Run(ctx, action)
	require.NoError(b, err)
	return v
}

// do does something in the browser.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	get(b, chromedp.Steps(steps...))
}

// value returns what an expression is in the page.
func value[V any](b *tab, expression string) V {
	b.Helper()
	return get(b, chromedp.Evaluate[V](expression))
}

// run runs a script in the page.
func (b *tab) run(script string) { b.Helper(); value[bool](b, script+"; true") }

// until waits until an expression is true in the page.
func (b *tab) until(expression string) {
	b.Helper()
	require.Eventually(b, func() bool { return value[bool](b, expression) }, time.Minute, 20*time.Millisecond, expression)
}

// open opens an address and waits until everything was asked.
func (b *tab) open(address string) {
	b.Helper()
	b.do(chromedp.Navigate(address))
	b.settled()
}

// settled waits until everything was asked and answered.
func (b *tab) settled() {
	b.Helper()
	b.until(`document.body.dataset.busy === "no" && document.body.dataset.asked === "0"`)
}

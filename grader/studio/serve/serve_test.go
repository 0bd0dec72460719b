package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/serve"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// trained makes the run of a small model, with the solutions, and returns its folder.
func trained(t *testing.T) string {
	t.Helper()
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	s, _ := run.Named("tiny")
	s.Model = run.Model{ContextLength: 100, DModel: 32, NumLayers: 2, NumHeads: 2, DFF: 40, RopeTheta: 10000}
	s.Recipe.Batch, s.Recipe.Shards, s.Recipe.Steps, s.Recipe.Warmup = 2, 1, 20, 2
	s.Recipe.EvalEvery, s.Recipe.EvalBatches = 20, 1
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, run.Create(dir, run.Text{Corpus: corpus.VillageName, Text: corpus.Village(1, 20_000)}, 3, s))
	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
	require.NoError(t, err)
	require.NoError(t, train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(run.Event) {}))
	return dir
}

// running is a server that runs.
type running struct {
	*testing.T
	origin string

	mu    sync.Mutex
	worst serve.Stats // the most of everything
}

// start starts a server of a model; it is ended with the test.
func start(t *testing.T, binary, dir string, s run.Serving) *running {
	t.Helper()
	m, err := train.OpenServed(dir, s, nil)
	require.NoError(t, err)
	server, err := serve.Listen(m, 0)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan bool), make(chan error, 1)
	r := &running{T: t, origin: server.Address()}
	go func() {
		begun := false
		ended <- server.Serve(ctx, binary, io.Discard, func(now serve.Stats) {
			r.mu.Lock()
			r.worst.Waiting, r.worst.Running = max(r.worst.Waiting, now.Waiting), max(r.worst.Running, now.Running)
			r.worst.Reserved = max(r.worst.Reserved, now.Reserved)
			r.mu.Unlock()
			if !begun {
				begun = true
				close(ready)
			}
		})
	}()
	<-ready
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	return r
}

// most is the most of everything so far.
func (r *running) most() serve.Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.worst
}

// post asks for a text.
func (r *running) post(body string, change func(*http.Request)) (status int, text string) {
	r.Helper()
	q, err := http.NewRequestWithContext(r.Context(), "POST", r.origin+"/generate", strings.NewReader(body))
	require.NoError(r, err)
	q.Header.Set("Content-Type", "application/json")
	if change != nil {
		change(q)
	}
	answer, err := http.DefaultClient.Do(q)
	require.NoError(r, err)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	require.NoError(r, err)
	return answer.StatusCode, string(data)
}

// stats asks how things stand.
func (r *running) stats() (s serve.Stats) {
	r.Helper()
	answer, err := http.Get(r.origin + "/stats")
	require.NoError(r, err)
	defer answer.Body.Close()
	require.NoError(r, json.NewDecoder(answer.Body).Decode(&s))
	return s
}

// questions are requests of many lengths.
func questions() (all []string) {
	for i := range 18 {
		all = append(all, fmt.Sprintf(`{"prompt": %q, "tokens": %d, "temperature": %g, "seed": %d}`,
			strings.Repeat("Long ago Mira went to the river. ", 2)[:1+i*3], 5+(i*7)%40, float64(i%3)/2, i))
	}
	return all
}

// The same requests alone, all at once, and with other numbers of everything: the same
// texts, byte for byte, though pages are short and some have to wait.
func TestTheSameAloneAndInCompany(t *testing.T) {
	dir := trained(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	s := run.Serving{Texts: 6, Chunk: 5, Pages: 14}
	m, err := train.OpenServed(dir, s, nil)
	require.NoError(t, err)
	binary, err := train.BuildPaged(t.Context(), kit, workspace.Solutions(), m.Model(), t.TempDir())
	require.NoError(t, err)
	r := start(t, binary, dir, s)

	var alone []string
	for _, q := range questions() {
		status, text := r.post(q, nil)
		require.Equal(t, http.StatusOK, status, text)
		var asked struct{ Tokens int }
		require.NoError(t, json.Unmarshal([]byte(q), &asked))
		require.Len(t, text, asked.Tokens)
		alone = append(alone, text)
	}
	require.Equal(t, 1, r.most().Running)
	require.Zero(t, r.most().Waiting)

	rounds := 0
	// A busy machine may bring them one by one.
	for ; rounds < 2 || r.most().Waiting == 0 || r.most().Running < 3; rounds++ {
		require.Less(t, rounds, 50, "nobody ever waits for pages")
		var all sync.WaitGroup
		company := make([]string, len(alone))
		for i, q := range questions() {
			all.Go(func() { _, company[i] = r.post(q, nil) })
		}
		all.Wait()
		require.Equal(t, alone, company)
	}
	require.LessOrEqual(t, r.most().Reserved, 14)
	now := r.stats()
	require.Equal(t, []int{(1 + rounds) * len(alone), 0, 0, 0}, []int{now.Answered, now.Running, now.Reserved, now.Used})
	require.Equal(t, 14, now.Pages)

	// The likeliest text is that of grade generate.
	trainer, err := train.Build(t.Context(), kit, workspace.Solutions(), m.Model(), t.TempDir())
	require.NoError(t, err)
	g, err := train.OpenGenerator(dir, train.Sampling{Prompt: "Long ago ", Tokens: 60, TopP: 1}, nil)
	require.NoError(t, err)
	var generated strings.Builder
	require.NoError(t, g.Run(t.Context(), trainer, &generated, io.Discard))
	_, text := r.post(`{"prompt": "Long ago ", "tokens": 60, "temperature": 0}`, nil)
	require.Equal(t, generated.String(), "Long ago "+text+"\n")

	// What can never be answered is refused, with the numbers.
	header := func(name, value string) func(*http.Request) {
		return func(q *http.Request) { q.Header.Set(name, value) }
	}
	for _, c := range []struct {
		body   string
		change func(*http.Request)
		status int
		says   string
	}{
		{`{"prompt": "Long ago", "tokens": 93}`, nil, 422,
			"a prompt of 8 tokens and 93 new ones are more than the context of"},
		{`{"prompt": "Long ago", "tokens": -1}`, nil, 422, "-1 tokens cannot be written"},
		{`{"prompt": "Ω"}`, nil, 422, "the prompt:"},
		{`{"temperature": -1}`, nil, 422, "the temperature is -1"},
		{`{"top_p": 0}`, nil, 422, "top-p is 0"},
		{`{"prompt": 3}`, nil, 400, "prompt"},
		{`{"text": "Long ago"}`, nil, 400, "text"},
		{`{"prompt": "Long ago"}`, header("Content-Type", "text/plain"), 400, "want application/json"},
		{`{"prompt": "Long ago"}`, header("Origin", "https://example.org"), 403, "another site asked"},
		{`{"prompt": "Long ago"}`, func(q *http.Request) { q.Host = "example.org" }, 421, "nowhere else"},
	} {
		status, text := r.post(c.body, c.change)
		require.Equal(t, c.status, status, "%s: %s", c.body, text)
		require.Contains(t, text, c.says)
	}
	status, text := r.post(`{"prompt": "Long ago", "tokens": 0}`, nil)
	require.Equal(t, []any{200, ""}, []any{status, text})

	few := start(t, binary, dir, run.Serving{Texts: 2, Chunk: 5, Pages: 3})
	status, text = few.post(`{"prompt": "Long ago", "tokens": 42}`, nil)
	require.Equal(t, 422, status)
	require.Contains(t, text, "a prompt of 8 tokens and 42 new ones take 4 pages of 16 tokens, "+
		"and there are 3 in all; want at most 41 new ones")
	for body, length := range map[string]int{`{"prompt": "Long ago", "tokens": 41}`: 41, `{"prompt": "Long ago"}`: 41} {
		status, text = few.post(body, nil)
		require.Equal(t, 200, status, text)
		require.Len(t, text, length)
	}
}

// What cannot be served is said before anything is built.
func TestOpenServed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	s, _ := run.Named("tiny")
	require.NoError(t, run.Create(dir, run.Text{Corpus: "text", Text: corpus.Village(1, 20_000)}, 3, s))
	open := func(s run.Serving) error {
		_, err := train.OpenServed(dir, s, nil)
		return err
	}
	require.ErrorContains(t, open(run.Serving{Texts: 8, Chunk: 8}), "has no checkpoint yet")
	require.NoError(t, os.WriteFile(filepath.Join(dir, run.WeightsFile), nil, 0o600))
	require.NoError(t, open(run.Serving{Texts: 8, Chunk: 8}))
	require.ErrorContains(t, open(run.Serving{Texts: 0, Chunk: 8}), "want at least 1 of both")
	require.ErrorContains(t, open(run.Serving{Texts: 60, Chunk: 8}),
		"are 68 tokens in a call, and the context of "+dir+" is 64")
	require.ErrorContains(t, open(run.Serving{Texts: 8, Chunk: 8, Pages: -1}), "-1 pages")
}

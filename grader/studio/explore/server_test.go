package explore

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/loopback"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// echo answers a question with what was asked, and some with an error.
type echo struct{}

func (echo) Ask(q inside.Question) (json.RawMessage, error) {
	switch q.Ask {
	case "refuse":
		return nil, &train.RefusedError{Message: "there is no answer"}
	case "crash":
		return nil, &train.CrashError{Message: "panic: index out of range", Where: "rmsnorm.go:12"}
	}
	return json.Marshal(q)
}

// folder returns the folder of a model with three tokens, and a text.
func folder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.Mkdir(dir, 0o755))
	s, _ := run.Named("tiny")
	s.Model.ContextLength = 12
	require.NoError(t, run.Config{Schema: run.Schema, Corpus: "/home/somebody/text.txt", VocabSize: 5, Settings: s}.Write(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, tokenizer.AlphabetFile), []byte(" .Aab"), 0o600))
	var ids []byte
	for _, id := range []uint16{3, 3, 1, 0, 2, 4, 4, 4, 0, 3, 4, 3, 0, 4, 4, 4} { // "aa. Abbb aba bbb"
		ids = binary.LittleEndian.AppendUint16(ids, id)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, run.ValidationFile), ids, 0o600))
	return dir
}

// served is a server that runs, and what it is asked with.
type served struct {
	*testing.T
	origin, token string
}

func serve(t *testing.T) served {
	t.Helper()
	m, err := Open(folder(t), tokenizer.Open)
	require.NoError(t, err)
	m.Asker = echo{}
	s, err := Listen(m, "en")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	address, err := url.Parse(s.Address())
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", address.Hostname())
	return served{t, "http://" + address.Host, address.Fragment}
}

// ask sends a request as the page does, after change has made it another one.
func (s served) ask(method, path, body string, change func(r *http.Request)) (*http.Response, string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.origin+path, strings.NewReader(body))
	require.NoError(s, err)
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Origin", s.origin)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(s, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(s, err)
	return answer, string(text)
}

// A page says what a token of its model is.
func TestToken(t *testing.T) {
	pieces := &tokenizer.Learned{Tokens: [][]byte{[]byte("ab"), []byte("."), []byte("A"), []byte("a"), []byte("b")}}
	m, err := Open(folder(t), func(string, int) (tokenizer.Tokenizer, error) { return pieces, nil })
	require.NoError(t, err)
	require.Equal(t, "piece", m.Token)
}

func TestServes(t *testing.T) {
	s := serve(t)
	answer, text := s.ask("GET", "/api/model", "", nil)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	var d Description
	require.NoError(t, json.Unmarshal([]byte(text), &d))
	require.Equal(t, Description{Name: "run", Corpus: "text.txt", Layers: 2, Heads: 4, Width: 64, Hidden: 192, Context: 12, With: []string{},
		Vocab: []string{" ", ".", "A", "a", "b"}, Token: "character", Stop: -1, Snapshots: []int{}, Text: "Abbb aba"}, d)

	_, text = s.ask("POST", "/api/tokens", `"abA"`, nil)
	require.JSONEq(t, "[3, 4, 2]", text)
	_, text = s.ask("POST", "/api/text", `[3, 4, 2]`, nil)
	require.JSONEq(t, `"abA"`, text)
	_, text = s.ask("POST", "/api/ask", `{"ask": "look", "ids": [1, 2], "at": 1, "tokens": 50, "stop": 4}`, nil)
	require.JSONEq(t, `{"ask": "look", "ids": [1, 2], "at": 1, "tokens": 1, "stop": -1}`, text, "one token at a time")
	for _, file := range append([]string{"", style}, scripts...) {
		answer, _ := s.ask("GET", "/"+file, "", func(r *http.Request) { r.Header.Del("Authorization") })
		require.Equal(t, http.StatusOK, answer.StatusCode, file)
		require.NotContains(t, answer.Header.Get("Content-Security-Policy"), "unsafe")
	}
	for status, questions := range map[int][][2]string{
		http.StatusUnprocessableEntity: {{"/api/tokens", `"xyz"`}, {"/api/ask", `{"ask": "refuse"}`}},
		http.StatusBadRequest: {{"/api/ask", `{"ask": 3}`}, {"/api/ask", `{"sing": "song"}`}, {"/api/tokens", `"`},
			{"/api/text", `[5]`}},
		http.StatusInternalServerError: {{"/api/ask", `{"ask": "crash"}`}},
		http.StatusNotFound:            {{"/api/nothing", `1`}},
	} {
		for _, q := range questions {
			answer, text := s.ask("POST", q[0], q[1], nil)
			require.Equal(t, status, answer.StatusCode, "%s %s: %s", q[0], q[1], text)
		}
	}
	_, text = s.ask("POST", "/api/ask", `{"ask": "crash"}`, nil)
	require.Contains(t, text, "index out of range")
	require.Contains(t, text, "rmsnorm.go:12")
	answer, _ = s.ask("GET", "/server.go", "", nil)
	require.Equal(t, http.StatusNotFound, answer.StatusCode)
	_, text = s.ask("POST", "/api/tokens", `"xyz"`, func(r *http.Request) { r.Header.Set("Accept-Language", "zh") })
	require.Contains(t, text, "文本")
}

// Whoever is not the page at its own address is refused.
func TestRefuses(t *testing.T) {
	s := serve(t)
	other := strings.Replace(s.origin, "127.0.0.1", "localhost", 1)
	header := func(name, value string) func(r *http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	from := func(site string) func(r *http.Request) {
		return func(r *http.Request) { r.Header.Del("Origin"); r.Header.Set("Sec-Fetch-Site", site) }
	}
	for name, c := range map[string]struct {
		change func(r *http.Request)
		status int
	}{
		"no token":            {func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		"an empty token":      {header("Authorization", "Bearer "), http.StatusUnauthorized},
		"a wrong token":       {header("Authorization", "Bearer "+strings.ToLower(s.token)), http.StatusUnauthorized},
		"a foreign origin":    {header("Origin", "https://example.org"), http.StatusForbidden},
		"an origin like ours": {header("Origin", other), http.StatusForbidden},
		"no origin at all":    {header("Origin", "null"), http.StatusForbidden},
		"another site":        {from("cross-site"), http.StatusForbidden},
		"the same site":       {from("same-site"), http.StatusForbidden},
		"another name":        {func(r *http.Request) { r.Host = "example.org" }, http.StatusMisdirectedRequest},
		"another port":        {func(r *http.Request) { r.Host = "127.0.0.1:1" }, http.StatusMisdirectedRequest},
		"a form":              {header("Content-Type", "text/plain"), http.StatusBadRequest},
		"too much": {func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(`"`+strings.Repeat("a", loopback.MaxBody)+`"`)), -1
		}, http.StatusBadRequest},
	} {
		answer, text := s.ask("POST", "/api/tokens", `"ab"`, c.change)
		require.Equal(t, c.status, answer.StatusCode, "%s: %s", name, text)
		require.NotContains(t, text, "[3,4]", name)
		require.Empty(t, answer.Header.Get("Access-Control-Allow-Origin"))
	}
	answer, _ := s.ask("GET", "/", "", func(r *http.Request) { r.Host = "example.org" })
	require.Equal(t, http.StatusMisdirectedRequest, answer.StatusCode, "not even the page")
}

// A page that is frozen holds all that it needs, and a text cannot break out of it.
func TestFreeze(t *testing.T) {
	v := &View{Model: Description{Name: "</script><script>alert(1)</script>", Vocab: []string{"<!--", "]]>"}}, State: State{IDs: []int{0, 1}}}
	page, err := Freeze(v, "zh")
	require.NoError(t, err)
	text := string(page)
	require.NotContains(t, text, "alert(1)</script>")
	require.Contains(t, text, `<html lang="zh">`)
	require.NotRegexp(t, regexp.MustCompile(`(src|href)="[^d]`), text, "nothing is fetched, but for data:")
	require.NotContains(t, text, "connect-src")
	found := regexp.MustCompile(`(?s)<script type="application/json" id="view">(.*?)</script>`).FindStringSubmatch(text)
	require.NotNil(t, found)
	var back View
	require.NoError(t, json.Unmarshal([]byte(found[1]), &back))
	require.Equal(t, v.Model, back.Model)
	script := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindStringSubmatch(text)
	named := strings.ReplaceAll(digest(script[1]), "+", "&#43;")
	require.Contains(t, text, "script-src &#39;sha256-"+named, "the policy names the script as it stands")
}

func TestCheck(t *testing.T) {
	m, err := Open(folder(t), tokenizer.Open)
	require.NoError(t, err)
	step := 7
	for want, s := range map[string]State{
		"":                                 {IDs: []int{1, 2}, Off: []string{"layer1.head2", "layer2"}, At: 2},
		"--at is 3; the text has 2 tokens": {IDs: []int{1, 2}, At: 3},
		`no part "layer1.haed2"`:           {IDs: []int{1}, Off: []string{"layer1.haed2"}},
		"Did you mean layer1.head2?":       {IDs: []int{1}, Off: []string{"layer1.haed2"}},
		`no part "layer3"`:                 {IDs: []int{1}, Off: []string{"layer3"}},
		"the temperature is -1; want a number from 0 up":             {IDs: []int{1}, Temperature: -1},
		"top-p is 1.5; want a number above 0 and at most 1":          {IDs: []int{1}, TopP: 1.5},
		"run has no snapshots: it was trained by an earlier version": {IDs: []int{1}, Snapshot: &step},
	} {
		s.TopP = cmp.Or(s.TopP, 1)
		err := m.Check(s)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, 2, surprising([]float64{9, 5}))
	require.Equal(t, 3, surprising([]float64{9, 1, 5}))
	require.Equal(t, 1, surprising(nil))
}

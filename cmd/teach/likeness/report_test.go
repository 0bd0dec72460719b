package likeness

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/stubformer/stubformer/grader/lang"
)

const ownWay = `package a

import "math"

func F(x []float64) float64 {
	largest, smallest := math.Inf(-1), math.Inf(1)
	for i := len(x) - 1; i >= 0; i-- {
		if x[i]*x[i] > largest { largest = x[i]*x[i] + 1 }
		if x[i] < smallest && i%2 == 0 { smallest = x[i] - math.Floor(x[i]) }
	}
	return math.Hypot(largest-smallest, smallest*3) / math.Cbrt(largest*7)
}
`

func compared(t *testing.T, class map[string]string, kit Kit) *Report {
	var all []Submission
	for _, name := range []string{"ada", "bob", "eve", `=<script>alert(1)</script>`, "\x1b[31m\u202e"} {
		if text, ok := class[name]; ok {
			all = append(all, Submission{Name: name, Steps: map[string]Code{"step05": {"a.go": []byte(text)}}})
		}
	}
	r, err := Compare(all, []string{"step05"}, func(string) (Kit, error) { return kit, nil }, Vocabulary{"F": true}, DefaultThreshold)
	require.NoError(t, err)
	return r
}

const otherWay = "package a\nfunc F(x []float64) float64 {\nvar total float64\nfor k := range x { if x[k] != total { total = total*0.25 + x[k]; x[k] /= total+9 } }\nreturn total - x[len(x)/2]*total + x[0]/(total+4)\n}\n"

func TestCompare(t *testing.T) {
	renamed := strings.NewReplacer("largest", "big", "smallest", "small").Replace(ownWay)
	r := compared(t, map[string]string{"ada": ownWay, "bob": otherWay, "eve": renamed}, Kit{})
	require.Len(t, r.Pairs, 1)
	require.Equal(t, "ada", r.Pairs[0].A)
	require.Equal(t, "eve", r.Pairs[0].B)
	require.InDelta(t, 1, r.Pairs[0].Likeness, 1e-9)
	require.Equal(t, "F", r.Pairs[0].Functions[0].A)
	require.Equal(t, []Cluster{{Names: []string{"ada", "eve"}, Pairs: r.Pairs}}, r.Clusters)
}

// What the stub or the solution holds does not count.
func TestGiven(t *testing.T) {
	both := map[string]string{"ada": ownWay, "eve": ownWay}
	require.Len(t, compared(t, both, Kit{}).Pairs, 1)
	code := Code{"a.go": []byte(ownWay)}
	require.Empty(t, compared(t, both, Kit{Stub: code}).Pairs)
	require.Empty(t, compared(t, both, Kit{Solved: []Code{code}}).Pairs)
	honest := compared(t, both, Kit{Honest: []Code{code}}).Pairs
	require.Empty(t, honest, "what another right program has weighs little")
}

// What a lesson shows is the same with any line ends.
func TestShown(t *testing.T) {
	const lesson = "# A\n\n```go\nx := 1\ny := `a\nb`\n```\n\n```\n$ ls\n```\n"
	want := shown(lesson)
	require.Len(t, want, 1)
	require.Equal(t, want, shown(strings.ReplaceAll(lesson, "\n", "\r\n")))
}

// How near a pair is to the solution is said.
func TestNear(t *testing.T) {
	half := ownWay + "func G(x []float64) float64 {\nvar total float64\nfor k := range x { if x[k] != total { total = total*0.25 + x[k]; x[k] /= total+9 } }\nreturn total - x[len(x)/2]*total + x[0]/(total+4)\n}\n"
	r := compared(t, map[string]string{"ada": ownWay, "eve": half}, Kit{Solved: []Code{{"a.go": []byte(otherWay)}}})
	require.Len(t, r.Pairs, 1)
	require.Less(t, r.Pairs[0].NearA, 0.1)
	require.Greater(t, r.Pairs[0].NearB, 0.3)
}

func TestClusters(t *testing.T) {
	pair := func(a, b string) Pair { return Pair{A: a, B: b} }
	all := clusters([]Pair{pair("x", "y"), pair("a", "b"), pair("c", "d"), pair("b", "c"), pair("a", "c")})
	require.Len(t, all, 2)
	require.Equal(t, []string{"a", "b", "c", "d"}, all[0].Names)
	require.Len(t, all[0].Pairs, 4)
	require.Equal(t, []string{"x", "y"}, all[1].Names)
	require.Empty(t, clusters(nil))
}

// Whatever a submission is called or holds, the page is the page that the kit wrote:
// no element, attribute or character of it comes from there.
func TestPageIsSafe(t *testing.T) {
	evil := strings.Replace(ownWay, "largest, smallest :=", "/* </pre><script>alert(1)</script><img src=x onerror=alert(2)> \u202e */ largest, smallest :=", 1)
	r := compared(t, map[string]string{"ada": evil, `=<script>alert(1)</script>`: evil, "\x1b[31m\u202e": "package a\nfunc F( {"}, Kit{})
	require.Len(t, r.Pairs, 1)
	for _, name := range lang.Names() {
		p, err := lang.For(name)
		require.NoError(t, err)
		page, err := r.Page(p)
		require.NoError(t, err)
		require.NotContains(t, string(page), "\u202e")
		require.NotContains(t, string(page), "\x1b")
		tree, err := html.Parse(bytes.NewReader(page))
		require.NoError(t, err)
		marks := 0
		for n := range tree.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			require.NotContains(t, []string{"script", "img", "iframe", "object", "link", "base"}, n.Data)
			for _, a := range n.Attr {
				require.False(t, strings.HasPrefix(a.Key, "on"), a.Key)
			}
			if n.Data == "mark" {
				marks++
			}
		}
		require.Greater(t, marks, 10)
		require.Contains(t, string(page), "style-src &#39;sha256-")
		require.Contains(t, string(page), "&lt;img src=x")
	}
	table, err := r.CSV()
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, `'=<script>alert(1)</script>`, rows[1][3])
}

package corpus

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
)

func TestEveryStoryHasOneDerivation(t *testing.T) {
	story := villageStory()
	for seed := range uint64(300) {
		text := drawStory(seed)
		derivations := 0
		story.parse(text, nil, func(rest string) {
			if rest == "" {
				derivations++
			}
		})
		require.Equal(t, 1, derivations, text)
	}
}

func TestAnAmbiguousGrammarIsSeen(t *testing.T) {
	twice := choice{text("a"), sequence{text("a"), repeat{0.5, text("a")}}}
	derivations := 0
	twice.parse("a", nil, func(rest string) { derivations++ })
	require.Equal(t, 2, derivations)
}

// The mean surprise of drawn stories, which logProbability works out by
// parsing, must approach the exact entropy.
func TestVillageEntropy(t *testing.T) {
	sweep.Only(t)
	nats, chars := 0.0, 0
	for seed := range uint64(4000) {
		text := drawStory(seed)
		nats -= logProbability(t, villageStory(), text, nil)
		chars += len(text)
	}
	require.InEpsilon(t, VillageEntropy(), nats/float64(chars), 0.01)
}

func TestEntropyOfACoin(t *testing.T) {
	coin := repeat{0.5, text("h")} // a run of heads, entropy 2 ln 2, length 1
	w := coin.measure(nil)
	require.InDelta(t, 2*math.Ln2, w.nats, 1e-12)
	require.InDelta(t, 1, w.chars, 1e-12)
}

func drawStory(seed uint64) string {
	var out strings.Builder
	villageStory().draw(rand.New(rand.NewPCG(seed, 1)), nil, &out)
	return out.String()
}

// logProbability returns ln p of a text that the node derives in one way.
func logProbability(t *testing.T, n node, in string, s scope) float64 {
	found := math.NaN()
	walk(n, in, s, 0, func(rest string, logp float64) {
		if rest == "" {
			found = logp
		}
	})
	require.False(t, math.IsNaN(found), in)
	return found
}

// walk is parse with the logarithm of the probability carried along.
func walk(n node, in string, s scope, logp float64, next func(string, float64)) {
	switch n := n.(type) {
	case text:
		n.parse(in, s, func(rest string) { next(rest, logp) })
	case sequence:
		if len(n) == 0 {
			next(in, logp)
			return
		}
		walk(n[0], in, s, logp, func(rest string, p float64) { walk(n[1:], rest, s, p, next) })
	case choice:
		for i := range n {
			walk(n[i], in, s, logp+math.Log(n.probability(i)), next)
		}
	case repeat:
		next(in, logp+math.Log(1-n.again))
		walk(n.body, in, s, logp+math.Log(n.again), func(rest string, p float64) { walk(n, rest, s, p, next) })
	case settle:
		for i, names := range n.names {
			walk(n.body, in, s.with(names), logp+math.Log(n.weights().probability(i)), next)
		}
	}
}

func TestVillageIsReproducible(t *testing.T) {
	require.Equal(t, Village(3, 5000), Village(3, 5000))
	require.NotEqual(t, Village(3, 5000), Village(4, 5000))
	require.GreaterOrEqual(t, len(Village(3, 5000)), 5000)
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(data), 0o600))
		return path
	}
	text, err := Load(write("good.txt", "Grüße"))
	require.NoError(t, err)
	require.Equal(t, "Grüße", text)
	_, err = Load(write("empty.txt", ""))
	require.ErrorContains(t, err, "is empty")
	_, err = Load(write("latin1.txt", "Gr\xfc\xdfe"))
	require.ErrorContains(t, err, "not UTF-8")
	_, err = Load("nowhere")
	require.ErrorContains(t, err, `there is no corpus "nowhere"; want opticks, village, villages or the path`)
}

// The mark with which some editors begin a file is no character of its text.
func TestLoadWithoutByteOrderMark(t *testing.T) {
	file := filepath.Join(t.TempDir(), "marked.txt")
	require.NoError(t, os.WriteFile(file, []byte("\ufeffabc\ufeff"), 0o644))
	text, err := Load(file)
	require.NoError(t, err)
	require.Equal(t, "abc\ufeff", text)
	require.NoError(t, os.WriteFile(file, []byte("\ufeff"), 0o644))
	_, err = Load(file)
	require.ErrorContains(t, err, "is empty")
}

func TestOpticks(t *testing.T) {
	text, err := Load(OpticksName)
	if err != nil {
		require.ErrorContains(t, err, "--corpus village")
		t.Skip(err)
	}
	require.Contains(t, text, "Rays of Light")
}

func TestSplit(t *testing.T) {
	train, validation := Split("äbcdefghij", 0.9)
	require.Equal(t, "äbcdefghi", train)
	require.Equal(t, "j", validation)
}

func TestTokenizer(t *testing.T) {
	tok := NewTokenizer("hello, wörld")
	ids, err := tok.Encode("wörd")
	require.NoError(t, err)
	back, err := tok.Decode(ids)
	require.NoError(t, err)
	require.Equal(t, "wörd", back)
	require.Equal(t, tok, NewTokenizer(tok.Alphabet()))

	_, err = tok.Encode("haxy")
	require.ErrorContains(t, err, `the model has never seen 'a', 'x', 'y'; it knows these characters: " ,dehlorwö"`)
	_, err = tok.Decode([]int{1, 99})
	require.ErrorContains(t, err, "token 99 at position 1 is outside the vocabulary of 10")
}

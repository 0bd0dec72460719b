package verdict

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

var update = flag.Bool("update", false, "write the texts of this run to testdata")

// TestFailureText holds what a student reads to testdata/<name>.txt.
func TestFailureText(t *testing.T) {
	for name, f := range failures() {
		t.Run(name, func(t *testing.T) {
			text := f.Text() + "\n"
			for line := range strings.Lines(text) {
				require.Less(t, utf8.RuneCountInString(line), 81, line) // 79 and the newline
			}
			file := filepath.Join("testdata", name+".txt")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), text)
		})
	}
}

func failures() map[string]*Failure {
	wrong := func(asked, name string, got, want wire.Value, given Given) *Failure {
		return Wrong(lang.Raw(asked), Compare(name, got, want, 1.9e-6), given)
	}
	x, g := scale(random(1, 2, 3, 5), func(i int) float64 { return math.Pow(0.1, float64(i/5%3)) }), random(2, 5)
	s, sq, y := random(3, 4, 6), random(4, 5, 5), random(7, 2, 4, 4)
	tail := random(10, 9, 19)
	before, after, assigned := scatter()
	named := Given{Named: map[string]float64{"√d_k": math.Sqrt(3)}}

	scaled := wrong("attention.forward, case odd: q (2, 4, 3), k (2, 4, 3), v (2, 4, 4)", "y", scale(y, times1(math.Sqrt(3))), y, named)
	scaled.Confirm(slices.Values([]Case{{Got: scale(s, times1(math.Sqrt(5))), Want: s, Tolerance: 1.9e-6, Given: Given{Named: map[string]float64{"√d_k": math.Sqrt(5)}}}}))
	known := wrong("rmsnorm.forward, case odd: x (2, 3, 5), g (5)", "y", rmsnorm(x, g, true), rmsnorm(x, g, false), Given{})
	known.Diagnosis = Diagnosis{Kind: Mistake, ID: "rmsnorm.eps-outside",
		Text: lang.Raw("Your output matches (to 3e-7) what you get when ε is added outside the root. Look again at where ε stands in the formula: it belongs to the mean of the squares.")}
	invariant := wrong("softmax.forward, property: shift invariance, x (4, 6)", "y", scale(s, times1(2)), s, Given{})
	invariant.Message = lang.Raw("Softmax(x + 100) must equal Softmax(x).")

	return map[string]*Failure{
		"rmsnorm-eps-outside": wrong("rmsnorm.forward, case odd: x (2, 3, 5), g (5)", "y", rmsnorm(x, g, true), rmsnorm(x, g, false), Given{}),
		"known-mistake":       known,
		"property":            invariant,
		"softmax-axis":        wrong("softmax.forward, case axis-1: x (4, 6), axis 1", "y", softmax(s, 0), softmax(s, 1), Given{}),
		"softmax-masked-row": wrong("softmax.forward, case masked-row: x (2, 4, 4), axis -1", "y",
			edit(y, func(i int, x float32) float32 {
				if i/4%4 == 2 {
					return float32(nan)
				}
				return x
			}), y, Given{}),
		"linear-square": wrong("linear.forward, case square: x (5, 5), w (5, 5)", "y",
			rearrange(sq, func(i int) int { return i%5*5 + i/5 }), sq, Given{}),
		"linear-shape":      wrong("linear.forward, case tails: x (2, 3, 5), w (6, 5)", "y", wire.Float32s(tail.F32[:36], 6, 6), wire.Float32s(tail.F32[:36], 2, 3, 6), Given{}),
		"embedding-assigns": wrong("embedding.backward, case repeats: ids (1, 4), dw (8, 3)", "dw", assigned, after, Given{Before: &Before{Value: before, Gradient: true}}),
		"gradient-overwritten": wrong("linear.backward, case tails: x (2, 5, 3), w (8, 3), dy (2, 5, 8), dw_before (8, 3)", "dw",
			edit(after, func(i int, x float32) float32 { return x - before.F32[i] }), after, Given{Before: &Before{Value: before, Gradient: true}}),
		"attention-scale": scaled,
		"attention-mask": wrong("attention.forward, case causal: q (2, 4, 3), k (2, 4, 3), v (2, 4, 4)", "weights",
			y, edit(y, func(i int, x float32) float32 { return x * float32(min(1, max(0, 1+i/4%4-i%4))) }), Given{}),
		"matmul-tail": wrong("matmul, case odd: a (9, 7), b (7, 19)", "c",
			edit(tail, func(i int, x float32) float32 { return x * float32(1-i%19/16) }), tail, Given{Before: &Before{Value: random(11, 9, 19), Replaced: true}}),
		"loss":     wrong("cross_entropy.forward, case mean: logits (2, 3, 11), targets (2, 3)", "loss", wire.Float(14.3231), wire.Float(2.3871), Given{}),
		"loss-nan": wrong("cross_entropy.forward, case huge: logits (2, 3, 11), targets (2, 3)", "loss", wire.Float(nan), wire.Float(2.3871), Given{}),
		"integer":  wrong("dff: d_model 100", "d_ff", wire.Int(266), wire.Int(256), Given{}),
		"mask":     wrong("causal_mask: n 4", "mask", triangle(4, -1), triangle(4, 0), Given{}),
		"text":     wrong("name: seed 1", "name", wire.String("w"), wire.String("weight"), Given{}),
		"missing":  wrong("silu.forward, case small: x (3)", "y", wire.Value{}, vector(1, 2, 3), Given{}),
		"mixed": wrong("silu.forward, case huge: x (6)", "y",
			vector(1, 2.5, nan, inf, 5, nan), vector(1, 2, 3, 4, 5, 6), Given{}),
		"panic": {Kind: Panic, Asked: lang.Raw("rope.forward, case gaps: x (2, 3, 5, 8), positions (2, 5)"),
			Message:   lang.Raw("The program panicked: runtime error: index out of range [8] with length 8, while it answered this call"),
			Diagnosis: Diagnosis{Kind: Unexplained},
			Detail:    "rope.(*RoPE).Forward\n\tsteps/step06_rope/rope.go:41\n"},
	}
}

// rmsnorm returns x / √(mean(x²) + ε) · g, or with ε outside the root.
func rmsnorm(x, g wire.Value, outside bool) wire.Value {
	const eps = 1e-5
	d := len(g.F32)
	return edit(x, func(i int, v float32) float32 {
		squares := 0.0
		for _, u := range x.F32[i/d*d : i/d*d+d] {
			squares += float64(u) * float64(u) / float64(d)
		}
		root := math.Sqrt(squares + eps)
		if outside {
			root = math.Sqrt(squares) + eps
		}
		return float32(float64(v) / root * float64(g.F32[i%d]))
	})
}

// softmax returns the softmax of a matrix along an axis.
func softmax(x wire.Value, axis int) wire.Value {
	cols := x.Shape[1]
	sums := map[int]float64{}
	line := func(i int) int { return []int{i % cols, i / cols}[axis] }
	for i, v := range x.F32 {
		sums[line(i)] += math.Exp(float64(v))
	}
	return edit(x, func(i int, v float32) float32 { return float32(math.Exp(float64(v)) / sums[line(i)]) })
}

// scatter returns a gradient before and after the rows of dy were added for
// the ids 1, 4, 1, 6, and what assigning them gives.
func scatter() (before, after, assigned wire.Value) {
	before, dy := random(5, 8, 3), random(6, 4, 3)
	after, assigned = scale(before, times1(1)), scale(before, times1(1))
	for n, id := range []int{1, 4, 1, 6} {
		for k := range 3 {
			after.F32[id*3+k] += dy.F32[n*3+k]
			assigned.F32[id*3+k] = dy.F32[n*3+k]
		}
	}
	return before, after, assigned
}

func TestDifferenceString(t *testing.T) {
	d := Compare("y", vector(1, 2.00003, 3), vector(1, 2, 3), 1e-6)
	require.Equal(t, strings.Join([]string{
		"y has shape (3).",
		"  first wrong  at [1]",
		"  got          2.00003",
		"  want         2",
		"  error        |got − want| = 3e-05 > 1e-06·(|want| + rms) = 4.16e-06",
		"  how many     1 of 3 values are wrong",
		"  worst error  7.21 × its bound, at the same index",
	}, "\n"), d.String())
	d.Structure = claim("factor", lang.Raw("Your output is 2 times what is expected everywhere."), nil)
	require.True(t, strings.HasSuffix(d.String(), "\n  diagnosis    Your output is 2 times what is expected everywhere."), nil)
}

func TestPairDiffersVisibly(t *testing.T) {
	tests := []struct {
		got, want         float64
		gotText, wantText string
	}{
		{1, 2, "1", "2"},
		{0.0097182, 0.049006, "0.009718", "0.04901"},
		{65504, 1234.56, "65504", "1235"},
		{100000, 2e6, "100000", "2e+06"},
		{0.1234567, 0.1234569, "0.1234567", "0.1234569"},
		{1.0000001, 1, "1.0000001", "1"},
		{-0.5, 0.5, "-0.5", " 0.5"},
		{nan, 1, "NaN", "1"},
		{-inf, 1e20, "-Inf", " 1e+20"},
		{1e-9, 0, "1e-09", "0"},
		{math.Nextafter(1, 2), 1, "1.0000000000000002", "1"},
		{math.Copysign(0, -1), 1, "0", "1"},
	}
	for _, tt := range tests {
		got, want := decimals(tt.got, tt.want)
		require.Equal(t, [2]string{tt.gotText, tt.wantText}, [2]string{got, want})
	}
}

func TestTimes(t *testing.T) {
	for x, text := range map[float64]string{1.2345: "1.23", 999: "999", 999.7: "999.7", 1000: "1000", 9999: "9999",
		12345: "1.2·10⁴", 999900: "1.0·10⁶", 2.13e7: "2.1·10⁷", 6.9e12: "6.9·10¹²"} {
		require.Equal(t, text, times(x))
	}
}

func TestMultiple(t *testing.T) {
	for x, text := range map[float64]string{1.73205: "1.732", 1.000001: "1.000001", -250: "-250", 123456: "1.235·10⁵", 2e-7: "2·10⁻⁷"} {
		require.Equal(t, text, multiple(x))
	}
}

func TestShorten(t *testing.T) {
	require.Equal(t, strings.Repeat("é", 50), shorten(strings.Repeat("é", 50)))
	require.Equal(t, strings.Repeat("é", 50)+"…", shorten(strings.Repeat("é", 51)))
}

func TestKindWords(t *testing.T) {
	kinds := []Kind{Passed, WrongValues, WrongShape, NotFinite, NotImplemented, CompileError, Panic,
		Timeout, OutOfMemory, Exited, Blocked, GraderError}
	seen := map[string]bool{}
	for _, k := range kinds {
		require.NotContains(t, k.Words(), "_")
		require.False(t, seen[k.Words()], k)
		seen[k.Words()] = true
	}
	require.Equal(t, "not implemented yet", NotImplemented.Words())
}

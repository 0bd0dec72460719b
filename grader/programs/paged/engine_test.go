package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	writer "github.com/stubformer/stubformer/grader/programs/generate"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// These tests are skipped until the steps are implemented. To run them on the solutions:
//
//	go run ./cmd/grade bench overlay overlay.json
//	go test -overlay overlay.json ./grader/programs/paged

func newTestEngine(t *testing.T, s run.Serving) *engine {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Skip(p)
		}
	}()
	m := lm.New(lm.Config{VocabSize: 29, ContextLength: 90, DModel: 136, NumLayers: 2, NumHeads: 2, DFF: 150,
		RopeTheta: 100}, 5)
	return newEngine(m, s)
}

// requests are texts of many lengths: tokens of the prompt, and tokens of the answer.
func manyRequests() []run.Request {
	rng := rand.New(rand.NewPCG(22, 8))
	var all []run.Request
	for id := range 14 {
		prompt := make([]int, 1+rng.IntN(40))
		for i := range prompt {
			prompt[i] = rng.IntN(29)
		}
		all = append(all, run.Request{ID: id, Generation: run.Generation{Prompt: prompt, Tokens: 1 + rng.IntN(45), Stop: -1,
			Temperature: float64(id%3) / 2, TopP: 1, Seed: uint64(id)}})
	}
	return all
}

// answers lets the texts be written, of which some come only after so many steps, and
// returns the bits of all logits that their tokens were drawn from.
func answers(t *testing.T, e *engine, all []run.Request, after func(id int) int) (
	bits map[int][]uint32, most run.Standing,
) {
	bits = map[int][]uint32{}
	e.draw = func(logits []float32, s lm.Sampling, rng *rand.Rand) (int, error) {
		id := -1
		for _, x := range e.running {
			if x.rng == rng {
				id = x.ID
			}
		}
		for _, x := range logits {
			bits[id] = append(bits[id], math.Float32bits(x))
		}
		return writer.Draw(logits, s, rng)
	}
	free := e.reader.Pool().Free()
	for step := 0; step == 0 || !e.idle(); step++ {
		for _, r := range all {
			if after(r.ID) == step {
				e.ask(r)
			}
		}
		served, err := e.step()
		require.NoError(t, err)
		now := served.Standing
		require.LessOrEqual(t, now.Used, now.Reserved)
		require.LessOrEqual(t, now.Reserved, now.Pages)
		require.Equal(t, e.serving.Pages-now.Used, e.reader.Pool().Free()-run.PagesFor(e.serving.Rows()))
		most.Running, most.Waiting = max(most.Running, now.Running), max(most.Waiting, now.Waiting)
	}
	require.Equal(t, free, e.reader.Pool().Free(), "all pages are free in the end")
	require.Zero(t, e.standing.Reserved)
	return bits, most
}

// A text is the same in any company, to the last bit of what it is drawn from.
func TestTheSameInAnyCompany(t *testing.T) {
	serving := run.Serving{Texts: 5, Chunk: 7, Pages: 13}
	all := manyRequests()
	alone := map[int][]uint32{}
	for _, r := range all {
		bits, _ := answers(t, newTestEngine(t, serving), []run.Request{r}, func(int) int { return 0 })
		alone[r.ID] = bits[r.ID]
		require.Len(t, bits[r.ID], r.Tokens*29)
	}
	for name, after := range map[string]func(id int) int{
		"all at once":       func(int) int { return 0 },
		"one by one":        func(id int) int { return 3 * id },
		"the last in front": func(id int) int { return 13 - id },
	} {
		bits, most := answers(t, newTestEngine(t, serving), all, after)
		require.GreaterOrEqual(t, most.Running, 3, name)
		require.Positive(t, most.Waiting, name)
		for id := range alone {
			require.True(t, equalBits(alone[id], bits[id]), "%s: text %d", name, id)
		}
	}
}

func equalBits(a, b []uint32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Whoever leaves gives back pages, and those who wait for these join.
func TestLeave(t *testing.T) {
	e := newTestEngine(t, run.Serving{Texts: 4, Chunk: 7, Pages: 4})
	long := run.Generation{Prompt: make([]int, 20), Tokens: 40, Stop: -1, TopP: 1} // 4 pages
	for id := range 3 {
		e.ask(run.Request{ID: id, Generation: long})
	}
	served, err := e.step()
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, []int{served.Standing.Running, served.Standing.Waiting})
	e.ask(run.Request{ID: 1, Leave: true})
	e.ask(run.Request{ID: 0, Leave: true})
	served, err = e.step()
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, []int{served.Standing.Running, served.Standing.Waiting})
	require.Equal(t, 2, e.running[0].ID)
	e.ask(run.Request{ID: 2, Leave: true})
	require.True(t, e.idle())
}

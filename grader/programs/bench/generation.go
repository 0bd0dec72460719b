package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	writer "github.com/stubformer/stubformer/grader/programs/generate"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

// model returns an untrained model of a named configuration.
func (w *worker) model(name string) (*lm.LM, error) {
	if m := w.models[name]; m != nil {
		return m, nil
	}
	_, c, err := config(name)
	if err != nil {
		return nil, err
	}
	tensor.UseProduct(training.MatMul)
	m := lm.New(c, 1)
	w.models[name] = m
	_, err = w.generate(name, 1, cputime.Wall) // memory is allocated, and whole numbers are made of weights
	return m, err
}

// generate writes texts of so many tokens, one token at a time, as `grade generate` does
// after a prompt of one token, for a tenth of a second or more, and returns the seconds of
// a token by a clock.
func (w *worker) generate(name string, tokens int, clock func() time.Duration) (float64, error) {
	m, err := w.model(name)
	if err != nil {
		return 0, err
	}
	begin, texts := clock(), 0
	for ; texts == 0 || clock()-begin < atLeast; texts++ {
		text := writer.New(m, []int{1}, lm.Sampling{Temperature: 0.8, TopP: 1, Stop: -1}, rand.New(rand.NewPCG(3, 0)))
		for range tokens {
			if _, err := text.Next(); err != nil {
				return 0, err
			}
		}
	}
	return (clock() - begin).Seconds() / float64(texts*tokens), nil
}

// atLeast is how long text is written to measure it: a text of 60 tokens of a small model
// takes some milliseconds, in which much may come between.
const atLeast = 100 * time.Millisecond

// cache returns an empty cache of so many rows of a model, always the same one, so that
// its memory has been written to before.
func (w *worker) cache(name string, rows int) (*lm.LM, writer.Cache, error) {
	m, err := w.model(name)
	if err != nil {
		return nil, nil, err
	}
	key := fmt.Sprint(name, " ", rows)
	if w.caches[key] == nil {
		w.caches[key] = writer.NewBatch(m, rows)
	}
	c := w.caches[key]
	if c == nil {
		return nil, nil, errors.New("there is no cache of step 12")
	}
	for row := range rows {
		c.Truncate(row, 0)
	}
	return m, c, nil
}

// batch writes texts side by side, a row each, one token of each at a time and always the
// likeliest, for a tenth of a second or more, and returns the seconds of a token. Each row
// begins with another token.
func (w *worker) batch(name string, rows, tokens int) (float64, error) {
	if _, _, err := w.cache(name, rows); err != nil { // made before the clock runs
		return 0, err
	}
	begin, texts := cputime.Wall(), 0
	for ; texts == 0 || cputime.Wall()-begin < atLeast; texts += rows {
		_, c, err := w.cache(name, rows)
		if err != nil {
			return 0, err
		}
		if _, err := write(rows, tokens, c.Last); err != nil {
			return 0, err
		}
	}
	return (cputime.Wall() - begin).Seconds() / float64(texts*tokens), nil
}

func likeliest(logits []float32) int {
	best := 0
	for token, x := range logits {
		if x > logits[best] {
			best = token
		}
	}
	return best
}

// prefill reads a prompt that fills the context, with one call of the cache as
// `grade generate` reads it, and returns the seconds of a token.
func (w *worker) prefill(name string, d time.Duration) (float64, error) {
	read, tokens, err := w.reader(name)
	if err != nil {
		return 0, err
	}
	seconds := measure(d, func() { err = errors.Join(err, read()) })
	return seconds / float64(tokens), err
}

// reader returns what reads a prompt once more, and how many tokens the prompt has.
func (w *worker) reader(name string) (read func() error, tokens int, err error) {
	m, c, err := w.cache(name, 1)
	if err != nil {
		return nil, 0, err
	}
	prompt := draw(rand.New(rand.NewPCG(4, 0)), 1, m.Config.ContextLength, m.Config.VocabSize)
	return func() error {
		c.Truncate(0, 0)
		_, err := c.Last(prompt)
		return err
	}, len(prompt[0]), nil
}

// countOperations returns the floating-point operations of the products in prefill for
// one token: 2·m·n·k for each product of (m, k) and (k, n) that is made. That of the head,
// for the last token alone, is a single row and does not come here.
func (w *worker) countOperations(name string) (float64, error) {
	read, tokens, err := w.reader(name)
	if err != nil {
		return 0, err
	}
	c := w.models[name].Config
	operations := 2 * c.DModel * c.VocabSize
	defer tensor.UseProduct(func(dst, a, b tensor.Matrix, accumulate bool) {
		operations += 2 * dst.Rows * dst.Cols * a.Cols
		training.MatMul(dst, a, b, accumulate)
	})()
	err = read()
	return float64(operations) / float64(tokens), err
}

// weights returns the bytes of the matrices that a token is multiplied with: of all but
// the embedding, of which one row is looked up.
func (w *worker) weights(name string) (float64, error) {
	m, err := w.model(name)
	if err != nil {
		return 0, err
	}
	numbers := 0
	for _, p := range m.Params() {
		if len(p.Value.Shape) == 2 && p.Name != m.Embedding.Weight.Name {
			numbers += p.Value.Len()
		}
	}
	return float64(4 * numbers), nil
}

// write writes texts side by side, a row each, one token of each at a time and always the
// likeliest, and returns the last logits. Each begins with another token.
func write(rows, tokens int, read func(ids [][]int) (*tensor.Tensor, error)) (logits *tensor.Tensor, err error) {
	next := make([][]int, rows)
	for row := range next {
		next[row] = []int{row + 1}
	}
	for range tokens {
		if logits, err = read(next); err != nil {
			return nil, err
		}
		for row := range next {
			next[row][0] = likeliest(logits.Row(row))
		}
	}
	return logits, nil
}

//go:build unlisted

package seq2seq

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"math"
	"slices"
	"sync"
)

// beam-of-links: beam of links
//
// Why: Hypotheses are links to the one they continue, not copies of tokens; of each live hypothesis only its
// best `room` continuations are kept, in a short list that is sorted by insertion, so that nothing of size
// width*V is sorted or copied. Equal sums keep the order of hypothesis and token, since a newcomer goes behind
// its equals. Sums are in float64 in the same order; lesson: "What does not matter: ... whether the beam sorts
// all candidates or each hypothesis' best ones first".
type hypothesis struct {
	before *hypothesis // what it continues, nil for Begin alone
	token  int         // the last one
	n      int         // tokens, without Begin and End
	sum    float64     // of ln p of all tokens, End among them
}

func (h *hypothesis) prefix() []int {
	all := make([]int, h.n+1)
	at := h
	if at.before != nil && at.token == End {
		at = at.before
	}
	for ; at.before != nil; at = at.before {
		all[at.n] = at.token
	}
	all[0] = Begin
	return all
}

func Beam(next Next, width, maxLen int, alpha float64) (tokens []int, score float64) {
	if width < 1 {
		panic(tensor.ShapeError{Op: "seq2seq.Beam: width, which is at least 1", Got: []int{width}})
	}
	live, ended := []*hypothesis{{}}, []*hypothesis(nil)
	for range maxLen {
		if len(live) == 0 {
			break
		}
		room := width - len(ended)
		var kept []hypothesis
		for _, h := range live {
			for token, p := range logSoftmax(next(h.prefix())) {
				kept = insert(kept, hypothesis{before: h, token: token, n: h.n + 1, sum: h.sum + p}, room)
			}
		}
		live = nil
		for _, h := range kept {
			if h.token == End {
				h.n--
				ended = append(ended, &h)
			} else {
				live = append(live, &h)
			}
		}
	}
	score = math.Inf(-1)
	var found *hypothesis
	for _, h := range append(ended, live...) {
		if s := h.sum / math.Pow((5+float64(h.n))/6, alpha); s > score {
			found, score = h, s
		}
	}
	if found == nil {
		return []int{}, score
	}
	return found.prefix()[1:], score
}

func insert(list []hypothesis, h hypothesis, n int) []hypothesis {
	at := len(list)
	for at > 0 && list[at-1].sum < h.sum {
		at--
	}
	if at >= n {
		return list
	}
	if len(list) == n {
		list = list[:n-1]
	}
	return slices.Insert(list, at, h)
}

func continued(live []hypothesis, next Next) []hypothesis { panic("nobody calls this") }

func best(all []hypothesis, n int) []hypothesis { panic("nobody calls this") }

// smoothing-rows-in-goroutines: smoothing rows in goroutines
//
// Why: Forward keeps ln sum e^x of every row in float64, and Backward computes e^(x - that) - q from it, all in
// float64 and rounded once, in goroutines that share the rows of one call among them; no softmax of step 07 is
// used. Every row is written by one goroutine and read by nobody else before all are done, the buffers belong
// to the layer, and Epsilon and the labels are those of Forward. All that the contract says holds.
type Smoothing struct {
	Epsilon float64

	logits  *tensor.Tensor // (B, T, V), the caller's
	labels  []int          // B·T
	counted int            // how many of the labels are not Ignored
	epsilon float64        // of the last Forward
	rows    []float64      // ln Σ e^x of every row that counts
	dlogits *tensor.Tensor // (B, T, V)
}

func (c *Smoothing) Forward(logits *tensor.Tensor, labels [][]int) (float64, error) {
	tensor.CheckShape("Smoothing.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkLabels(logits, labels); err != nil {
		return 0, err
	}
	c.logits, c.labels, c.counted, c.epsilon = logits, c.labels[:0], 0, c.Epsilon
	for _, row := range labels {
		c.labels = append(c.labels, row...)
	}
	c.rows = slices.Grow(c.rows[:0], len(c.labels))[:len(c.labels)]
	var loss float64
	for r, label := range c.labels {
		if label == Ignored {
			continue
		}
		c.counted++
		x := logits.Row(r)
		m := float64(slices.Max(x))
		var sum, shifted float64
		for _, v := range x {
			sum += math.Exp(float64(v) - m)
			shifted += float64(v) - m
		}
		loss += math.Log(sum) - (1-c.epsilon)*(float64(x[label])-m) - c.epsilon/float64(len(x))*shifted
		c.rows[r] = m + math.Log(sum)
	}
	return loss / float64(max(1, c.counted)), nil
}

func (c *Smoothing) Backward() *tensor.Tensor {
	// (15) Σ q = 1, so the loss of a row is     ℓ = ln Σ_v e^(x_v) − Σ_v q_v·x_v
	// (16) the first term's derivative is the softmax:  ∂ℓ/∂x_v = softmax(x)_v − q_v
	// (17) the mean over the n tokens that count:       dx = (softmax(x) − q)/n, else 0
	tensor.CheckShape("Smoothing.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	const workers = 3
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for r := w; r < len(c.labels); r += workers {
				c.backwardRow(r)
			}
		}()
	}
	wg.Wait()
	return c.dlogits
}

func (c *Smoothing) backwardRow(r int) {
	x, dx, label := c.logits.Row(r), c.dlogits.Row(r), c.labels[r]
	if label == Ignored {
		clear(dx) // (17)
		return
	}
	n, spread := float64(c.counted), c.epsilon/float64(len(x))
	for v := range x {
		g := math.Exp(float64(x[v])-c.rows[r]) - spread // (16)
		if v == label {
			g -= 1 - c.epsilon
		}
		dx[v] = float32(g / n) // (17)
	}
}

func (c *Smoothing) row(x []float32, label int) float64 { panic("nobody calls this") }

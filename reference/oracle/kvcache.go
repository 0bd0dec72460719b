package oracle

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	answer("kvcache.mask", cacheMask)
	answer("kvcache.forward", cacheForward)
	answer("kvcache.rows", cacheForward)
	answer("kvcache.last", cacheLast)
	answer("kvcache.truncate", cacheTruncate)
	answer("kvcache.pair", cachePair)
	answer("kvcache.once", cacheOnce)
	answer("kvcache.bytes", cacheBytes)
	answer("kvcache.flops", cacheFLOPs)
}

// reading is what a cache is asked for: rows of tokens and the calls that read them.
type reading struct {
	ids   Indices // (B, T)
	calls Indices // (C, B): how many tokens of a row every call reads
}

// lengths returns how many tokens of each row are read.
func (r reading) lengths() []int {
	sums, rows := make([]int, r.ids.Shape[0]), r.ids.Shape[0]
	for i, n := range r.calls.Data {
		sums[i%rows] += n
	}
	return sums
}

// reading returns the arguments of the given names, of which no row may read more
// tokens than it has, or than T_max or the context hold.
func (c *call) reading(ids, calls, maxLen string) (reading, error) {
	r := reading{c.indices(ids), c.indices(calls)}
	room := min(r.ids.Shape[1], c.int(maxLen), c.int("context_length"))
	if slices.ContainsFunc(r.lengths(), func(n int) bool { return n > room }) {
		return r, c.refuse(calls, fmt.Sprintf("at most %d tokens a row", room))
	}
	return r, nil
}

// Read returns the logits of every token that is read, (B, T, V), and zeros for
// those that are not: the answers of the model to the whole rows, of which a cache
// knows the beginning.
func (r reading) Read(m Model) *autodiff.Tensor {
	rows, time, vocab := r.ids.Shape[0], r.ids.Shape[1], m.Head.Shape[0]
	out := autodiff.Zeros(rows, time, vocab)
	for row, n := range r.lengths() {
		if n > 0 {
			logits := LM(Indices{Shape: []int{1, n}, Data: r.ids.Data[row*time : row*time+n]}, m)
			copy(out.Data[row*time*vocab:], logits.Data)
		}
	}
	return out
}

// Ends picks from the logits of Read those after the last token that every row reads
// in each call, (C, B, V), and zeros where it reads none.
func (r reading) Ends(logits *autodiff.Tensor) *autodiff.Tensor {
	rows, time, vocab := logits.Shape[0], logits.Shape[1], logits.Shape[2]
	out, read := autodiff.Zeros(r.calls.Shape[0], rows, vocab), make([]int, rows)
	for i, n := range r.calls.Data {
		row := i % rows
		if read[row] += n; n > 0 {
			copy(out.Data[i*vocab:(i+1)*vocab], logits.Data[(row*time+read[row]-1)*vocab:])
		}
	}
	return out
}

func cacheForward(c *call) (wire.Values, error) {
	m, r, err := c.modelAndReading()
	if err != nil {
		return nil, err
	}
	return wire.Values{"logits": result(r.Read(m)), "lengths": integers(r.lengths())}, nil
}

func cacheLast(c *call) (wire.Values, error) {
	m, r, err := c.modelAndReading()
	if err != nil {
		return nil, err
	}
	return wire.Values{"logits": result(r.Ends(r.Read(m)))}, nil
}

func (c *call) modelAndReading() (Model, reading, error) {
	m, err := c.model()
	if err != nil {
		return m, reading{}, err
	}
	r, err := c.reading("ids", "calls", "max_len")
	return m, r, err
}

// cacheTruncate answers for the beginnings of the rows with more behind them.
func cacheTruncate(c *call) (wire.Values, error) {
	m, err := c.model()
	if err != nil {
		return nil, err
	}
	ids, keep, more := c.indices("ids"), c.indices("keep").Data, c.indices("more")
	time, behind, vocab := ids.Shape[1], more.Shape[1], m.Head.Shape[0]
	room := min(c.int("max_len"), c.int("context_length"))
	if time > room {
		return nil, c.refuse("ids", fmt.Sprintf("at most %d tokens a row", room))
	}
	logits := []float64{}
	for row, n := range keep {
		if n > time || n+behind > room {
			return nil, c.refuse("keep", fmt.Sprintf("at most %d tokens", min(time, room-behind)))
		}
		text := slices.Concat(ids.Data[row*time:row*time+n], more.Data[row*behind:(row+1)*behind])
		all := LM(Indices{Shape: []int{1, len(text)}, Data: text}, m)
		logits = append(logits, all.Data[n*vocab:]...)
	}
	return wire.Values{"logits": wire.Floats(logits, len(keep), behind, vocab), "lengths": integers(keep)}, nil
}

func cachePair(c *call) (wire.Values, error) {
	m, one, err := c.modelAndReading()
	if err != nil {
		return nil, err
	}
	two, err := c.reading("other_ids", "other_calls", "other_max_len")
	if err != nil {
		return nil, err
	}
	return wire.Values{"logits": result(one.Read(m)), "other_logits": result(two.Read(m))}, nil
}

// cacheOnce looks the tokens of the first call up in one table and all others in
// another: in one of 2·V rows.
func cacheOnce(c *call) (wire.Values, error) {
	m, r, err := c.modelAndReading()
	if err != nil {
		return nil, err
	}
	vocab, time := m.Embeddings.Shape[0], r.ids.Shape[1]
	both := slices.Concat(m.Embeddings.Data, c.tensor("later").Data)
	m.Embeddings = autodiff.New(both, 2*vocab, m.Embeddings.Shape[1])
	m.Embeddings.Rough(c.rough)
	for row, n := range r.calls.Data[:r.ids.Shape[0]] {
		for t := n; t < time; t++ {
			r.ids.Data[row*time+t] += vocab
		}
	}
	return wire.Values{"logits": result(r.Read(m))}, nil
}

func cacheMask(c *call) (wire.Values, error) {
	past, n := c.int("past"), c.int("n")
	if n*(past+n) > maxElements {
		return nil, c.refuse("n", fmt.Sprintf("at most %d elements in the mask", maxElements))
	}
	all := Causal(past + n)
	return wire.Values{"mask": wire.Bools(all[past*(past+n):], n, past+n)}, nil
}

func cacheBytes(c *call) (wire.Values, error) {
	const key, value, float32Bytes = 1, 1, 4
	return wire.Values{"bytes": wire.Int((key + value) * float32Bytes * c.int("num_layers") * c.int("batch") * c.int("max_len") * c.int("d_model"))}, nil
}

// cacheFLOPs counts what the n last of past+n tokens cost, and what all of them do.
func cacheFLOPs(c *call) (wire.Values, error) {
	s := Size{Vocab: c.int("vocab_size"), DModel: c.int("d_model"), Layers: c.int("num_layers"), DFF: c.int("d_ff")}
	past, n := c.int("past"), c.int("n")
	all := s.ForwardFLOPs(1, past+n)
	with := 0
	if n > 0 {
		with = all / (past + n) * n // the tokens of one pass cost the same each
	}
	return wire.Values{"with": wire.Int(with), "without": wire.Int(all)}, nil
}

package oracle

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	layer("gqa", func(c *call) ([]*autodiff.Tensor, error) {
		heads, err := c.heads()
		if err == nil {
			err = c.checkGroups()
		}
		if err != nil {
			return nil, err
		}
		y, _, _ := GroupedQueries(c.tensor("x"), c.projections(), heads)
		return one(y)
	})
	answer("gqa.repeat", groupedRepeat)
	answer("gqa.sum", groupedSum)
	answer("gqa.extend", groupedExtend)
}

// RepeatHeads gives every one of the given number of heads the head of kv that its
// group shares: the heads of a group are neighbours.
//
//	kv (B, H_kv, T, K), result (B, heads, T, K): result[b, h] = kv[b, ⌊h/(heads/H_kv)⌋]
func RepeatHeads(kv *autodiff.Tensor, heads int) *autodiff.Tensor {
	batch, kvHeads, time, width := kv.Shape[0], kv.Shape[1], kv.Shape[2], kv.Shape[3]
	var at []int
	for b := range batch {
		for h := range heads {
			at = append(at, b*kvHeads+h/(heads/kvHeads))
		}
	}
	rows := autodiff.Rows(autodiff.Reshape(kv, batch*kvHeads, time*width), at)
	return autodiff.Reshape(rows, batch, heads, time, width)
}

// GroupedQueries is MultiHead with key and value projections of (E, D), E = H_kv·K:
// as many heads of keys and values as they have rows for, each read by a group of
// queries. It also returns these keys, turned, and values.
//
//	x (B, T, D), y (B, T, D), keys and values (B, H_kv, T, K)
//
// Source: Ainslie et al. (arXiv:2305.13245), section 2.2.
func GroupedQueries(x *autodiff.Tensor, w Projections, h Heads) (y, keys, values *autodiff.Tensor) {
	batch, time, dModel := x.Shape[0], x.Shape[1], x.Shape[2]
	width := dModel / h.Count
	split := func(weight *autodiff.Tensor) *autodiff.Tensor { // (B, T, E) to (B, H_kv, T, K)
		projected := autodiff.Reshape(Linear(x, weight), batch, time, weight.Shape[0]/width, width)
		return autodiff.Permute(projected, 0, 2, 1, 3)
	}
	q := RoPE(split(w.Q), h.Positions, h.Theta)
	keys, values = RoPE(split(w.K), h.Positions, h.Theta), split(w.V)
	attended, _ := Attention(q, RepeatHeads(keys, h.Count), RepeatHeads(values, h.Count), Causal(time))
	joined := autodiff.Reshape(autodiff.Permute(attended, 0, 2, 1, 3), batch, time, dModel)
	return Linear(joined, w.Output), keys, values
}

// checkGroups checks that the rows of the key and value projections are whole heads,
// as many as divide num_heads.
func (c *call) checkGroups() error {
	heads := c.int("num_heads")
	width, e := c.sizes["D"]/heads, c.sizes["E"]
	if e == 0 || e%width != 0 || heads%(e/width) != 0 {
		return c.refuse("wk", fmt.Sprintf("a row for each of the %d numbers of every key/value head, of which there are as many as divide %d", width, heads))
	}
	return nil
}

func groupedRepeat(c *call) (wire.Values, error) {
	if h := c.sizes["G"]; h == 0 || c.int("num_heads")%h != 0 {
		return nil, c.refuse("num_heads", fmt.Sprintf("a multiple of %d", h))
	}
	return wire.Values{"y": result(RepeatHeads(c.tensor("kv"), c.int("num_heads")))}, nil
}

// groupedSum is what RepeatHeads sends back.
func groupedSum(c *call) (wire.Values, error) {
	groups, heads := c.int("num_kv_heads"), c.sizes["H"]
	if groups == 0 || heads%groups != 0 {
		return nil, c.refuse("num_kv_heads", fmt.Sprintf("a divisor of %d", heads))
	}
	kv := autodiff.Zeros(c.sizes["B"], groups, c.sizes["T"], c.sizes["K"])
	RepeatHeads(kv, heads).Backward(widen(c.in["d"]))
	return wire.Values{"dkv": wire.Floats(kv.Grad, kv.Shape...)}, nil
}

// groupedExtend answers for the whole text, of which a cache knows the beginning.
func groupedExtend(c *call) (wire.Values, error) {
	time, read, room := c.sizes["T"], 0, c.int("max_len")
	for _, n := range c.indices("calls").Data {
		read += n
	}
	if read != time || time > min(room, c.int("max_seq_len")) {
		return nil, c.refuse("calls", fmt.Sprintf("%d tokens in all, and room for them", time))
	}
	heads := Heads{Count: c.int("num_heads"), Theta: c.float("theta"), Positions: Indices{Shape: []int{1, time}}}
	for t := range time {
		heads.Positions.Data = append(heads.Positions.Data, t)
	}
	if err := c.checkHeads("theta"); err != nil {
		return nil, err
	}
	if err := c.checkGroups(); err != nil {
		return nil, err
	}
	d := c.sizes["D"]
	y, keys, values := GroupedQueries(autodiff.Reshape(c.tensor("x"), 1, time, d), c.projections(), heads)
	return wire.Values{"y": wire.Floats(y.Data, time, d), "keys": cached(keys, room), "values": cached(values, room)}, nil
}

// cached puts what was kept of a text (1, H_kv, T, K) into buffers (H_kv, T_max, K),
// with zeros behind it.
func cached(kept *autodiff.Tensor, room int) wire.Value {
	groups, time, width := kept.Shape[1], kept.Shape[2], kept.Shape[3]
	out := make([]float64, groups*room*width)
	for g := range groups {
		copy(out[g*room*width:], kept.Data[g*time*width:(g+1)*time*width])
	}
	return wire.Floats(out, groups, room, width)
}

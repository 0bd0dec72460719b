package seq2seq

import (
	"container/heap"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Next returns the logits (V) of the token behind a prefix, which begins with Begin. They
// are valid until the next call; the prefix is not kept and not changed.
type Next func(prefix []int) []float32

// Greedy takes the largest logit until End.
func Greedy(next Next, maxLen int) []int {
	prefix := make([]int, 1, maxLen+1)
	prefix[0] = Begin
	for len(prefix) <= maxLen {
		best, at := float32(math.Inf(-1)), 0
		for token, x := range next(prefix) {
			if x > best {
				best, at = x, token
			}
		}
		if at == End {
			return prefix[1:]
		}
		prefix = append(prefix, at)
	}
	return prefix[1:]
}

// node is one token of a text, behind another node.
type node struct {
	before *node
	token  int
	sum    float64
	length int
	rank   int // among all candidates, for equal sums
}

func (n *node) text() []int {
	text := make([]int, n.length)
	for ; n.length > 0; n = n.before {
		text[n.length-1] = n.token
	}
	return text
}

// pool is a heap of candidates, the worst on top.
type pool []*node

func (p pool) Len() int { return len(p) }
func (p pool) Less(i, j int) bool {
	if p[i].sum != p[j].sum {
		return p[i].sum < p[j].sum
	}
	return p[i].rank > p[j].rank
}
func (p pool) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pool) Push(x any)   { *p = append(*p, x.(*node)) }
func (p *pool) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// Beam keeps candidates in a heap of as many as have a place.
func Beam(next Next, width, maxLen int, alpha float64) (tokens []int, score float64) {
	if width < 1 {
		panic(tensor.ShapeError{Op: "Beam: width is at least 1", Got: []int{width}})
	}
	live, ended := []*node{{}}, []*node(nil)
	for step := 0; step < maxLen && len(live) > 0; step++ {
		places, p, rank := width-len(ended), pool{}, 0
		for _, n := range live {
			row := next(append([]int{Begin}, n.text()...))
			total := logSum(row)
			for token, x := range row {
				rank++
				heap.Push(&p, &node{n, token, n.sum + float64(x) - total, n.length + 1, rank})
				if len(p) > places {
					heap.Pop(&p)
				}
			}
		}
		ordered := make([]*node, len(p))
		for i := len(ordered) - 1; i >= 0; i-- {
			ordered[i] = heap.Pop(&p).(*node)
		}
		live = nil
		for _, n := range ordered {
			if n.token == End {
				ended = append(ended, &node{n.before.before, n.before.token, n.sum, n.length - 1, 0})
			} else {
				live = append(live, n)
			}
		}
	}
	score = math.Inf(-1)
	for _, all := range [][]*node{ended, live} {
		for _, n := range all {
			if s := n.sum * math.Pow(6/(5+float64(n.length)), alpha); s > score {
				tokens, score = n.text(), s
			}
		}
	}
	return tokens, score
}

// logSum is ln Σ e^x.
func logSum(x []float32) float64 {
	most, sum := math.Inf(-1), 0.0
	for _, v := range x {
		most = math.Max(most, float64(v))
	}
	for _, v := range x {
		sum += math.Exp(float64(v) - most)
	}
	return most + math.Log(sum)
}

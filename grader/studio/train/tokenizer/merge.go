package tokenizer

import "container/heap"

// merge joins neighbours until no two make a token: of those that do, the two whose
// token has the best score, the leftmost of equals, come first. joined returns the token
// that two make. Pairs wait in a heap, so that n tokens take about n·log n steps.
func merge(ids []int, scores []float32, joined func(left, right int) (id int, ok bool)) []int {
	c := &chain{joined: joined, pairs: pairs{scores: scores}}
	for i, id := range ids {
		c.links = append(c.links, link{id, i - 1, i + 1})
	}
	for i := range c.links {
		c.find(i)
	}
	for len(c.pairs.waiting) > 0 {
		c.join(heap.Pop(&c.pairs).(pair))
	}
	left := ids[:0]
	for _, l := range c.links {
		if l.id != gone {
			left = append(left, l.id)
		}
	}
	return left
}

// chain is a text on its way: its tokens, linked to their neighbours, and the pairs
// that can be joined.
type chain struct {
	links  []link
	pairs  pairs
	joined func(left, right int) (int, bool)
}

// link is a token and where its neighbours are: −1 and the number of links are the ends.
type link struct{ id, prev, next int }

// gone is the id of a token that has become part of the one on its left.
const gone = -1

// at returns the token of the pair whose left one is at a place, if they make one.
func (c *chain) at(place int) (id int, ok bool) {
	left := c.links[place]
	if left.id == gone || left.next == len(c.links) {
		return 0, false
	}
	return c.joined(left.id, c.links[left.next].id)
}

// find puts the pair whose left token is at a place into the heap, if it can be joined.
func (c *chain) find(place int) {
	if place < 0 {
		return
	}
	if id, ok := c.at(place); ok {
		heap.Push(&c.pairs, pair{id, place})
	}
}

// join makes one token of a pair, unless one of the two was another token when the pair
// was found.
func (c *chain) join(p pair) {
	if id, ok := c.at(p.place); !ok || id != p.id {
		return
	}
	left := &c.links[p.place]
	right := &c.links[left.next]
	left.id, left.next, right.id = p.id, right.next, gone
	if left.next < len(c.links) {
		c.links[left.next].prev = p.place
	}
	c.find(left.prev)
	c.find(p.place)
}

// pair is two neighbours that make a token, the left one at a place.
type pair struct{ id, place int }

// pairs is a heap: first comes the pair of the best score, the leftmost of equals.
type pairs struct {
	scores  []float32 // by token
	waiting []pair
}

func (p *pairs) Len() int      { return len(p.waiting) }
func (p *pairs) Swap(i, j int) { p.waiting[i], p.waiting[j] = p.waiting[j], p.waiting[i] }
func (p *pairs) Push(x any)    { p.waiting = append(p.waiting, x.(pair)) }

func (p *pairs) Less(i, j int) bool {
	a, b := p.waiting[i], p.waiting[j]
	if p.scores[a.id] != p.scores[b.id] {
		return p.scores[a.id] > p.scores[b.id]
	}
	return a.place < b.place
}

func (p *pairs) Pop() any {
	last := p.waiting[len(p.waiting)-1]
	p.waiting = p.waiting[:len(p.waiting)-1]
	return last
}

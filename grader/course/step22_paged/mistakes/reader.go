//go:build mistake

package paged

import (
	"github.com/stubformer/stubformer/reference/kernel"
)

// positions-restart: the positions of every call begin at 0
//
// Why: A token's position is the number of tokens before it in its text, a prompt that it shares included.
//
// Hint: Len − n, …, Len − 1.
func (*Reader) attend() {
	if right {
		positions := [][]int{places(t.length-n, n)}
	} else {
		positions := [][]int{places(0, n)}
	}
}

// positions-in-page: a token's position is its place in the page
//
// Why: Where a key lies says nothing of where its token stands in the text.
//
// Hint: Len − n, …, Len − 1.
func (*Reader) attend() {
	if right {
		positions := [][]int{places(t.length-n, n)}
	} else {
		positions := [][]int{places(t.length-n, n)}
		for j := range positions[0] {
			positions[0][j] %= t.pool.size
		}
	}
}

// positions-behind: the positions begin at the length after the append
//
// Why: The new tokens are among the Len: the first of them stands at Len − n.
//
// Hint: Len − n, …, Len − 1.
func (*Reader) attend() {
	if right {
		positions := [][]int{places(t.length-n, n)}
	} else {
		positions := [][]int{places(min(t.length, r.model.Config.ContextLength-n), n)}
	}
}

// positions-of-first-text: all texts have the positions of the first
//
// Why: Every text has a length of its own.
//
// Hint: Len of the text itself.
func (*Reader) attend() {
	if right {
		positions := [][]int{places(t.length-n, n)}
	} else {
		positions := [][]int{places(max(0, texts[0].length-n), n)}
	}
}

// keys-not-turned: the keys are written before RoPE, and never turned
//
// Why: Scores depend on the distance between query and key only if both are turned.
//
// Hint: RoPE on q and k, then Write.
func (*Reader) attend() {
	if right {
		r.k = r.rope.Forward(r.k, r.k, positions)
	} else {
	}
}

// queries-not-turned: RoPE is not applied to the queries
//
// Why: Scores depend on the distance between query and key only if both are turned.
//
// Hint: RoPE on q and k.
func (*Reader) attend() {
	if right {
		r.q = r.rope.Forward(r.q, r.q, positions)
	} else {
	}
}

// values-turned: RoPE is applied to the values, too
//
// Why: RoPE is about scores. What a token hands over has no position.
//
// Hint: RoPE on q and k only.
func (*Reader) attend() {
	if right {
		r.k = r.rope.Forward(r.k, r.k, positions)
	} else {
		r.k = r.rope.Forward(r.k, r.k, positions)
		r.v = r.rope.Forward(r.v, r.v, positions)
	}
}

// rows-of-first-text: every text reads the first rows of the call
//
// Why: The new tokens of all texts lie one after another: those of a text begin behind those before it.
//
// Hint: first += n for every text.
func (*Reader) attend() {
	if right {
		rows := qkv.Matrix().Block(first, 0, n, 3*d)
	} else {
		rows := qkv.Matrix().Block(0, 0, n, 3*d)
	}
}

// empty-rows-shift: a text without new tokens takes a row all the same
//
// Why: What comes behind it is then another text's.
//
// Hint: first grows by the number of a text's tokens, 0 for none.
func (*Reader) attend() {
	if right {
		if n == 0 {
			continue
		}
	} else {
		if n == 0 {
			first = min(first+1, max(0, x.Dim(0)-len(ids[len(ids)-1])))
			continue
		}
	}
}

// grown-in-every-layer: every layer appends the new tokens
//
// Why: A token lies at the same place in all layers, and a text grows once.
//
// Hint: Append before the first layer.
func (*Reader) Forward() {
	if right {
		kernel.Add(x, x, r.attend(l, b.Attn, b.Norm1.Forward(r.x), texts, ids).Data)
	} else {
		if l > 0 {
			for i, t := range texts {
				if n := min(len(ids[i]), r.model.Config.ContextLength-t.length); n == len(ids[i]) && r.pool.need([]*Text{t}, []int{n}) <= len(r.pool.free) {
					t.grow(n)
				}
			}
		}
		kernel.Add(x, x, r.attend(l, b.Attn, b.Norm1.Forward(r.x), texts, ids).Data)
	}
}

// one-layer-for-all: all layers write to the first and read from it
//
// Why: Every layer has keys and values of its own.
//
// Hint: Write(l, …) and Attend(l, …).
func (*Reader) attend() {
	if right {
		t.Write(layer, r.k.Reshape(heads, n, width), r.v.Reshape(heads, n, width))
		y := t.Attend(layer, r.q.Reshape(heads, n, width))
	} else {
		t.Write(0, r.k.Reshape(heads, n, width), r.v.Reshape(heads, n, width))
		y := t.Attend(0, r.q.Reshape(heads, n, width))
	}
}

// grown-before-ids: the texts have grown when an unknown id is found
//
// Why: After an error everything is as before.
//
// Hint: Embed all rows first, then append.
func (*Reader) Forward() {
	if right {
		x, err := r.model.Embedding.Forward(ids[i : i+1])
		if err != nil {
			return nil, fmt.Errorf("Reader: text %d: %w", i, err)
		}
	} else {
		x, err := r.model.Embedding.Forward(ids[i : i+1])
		if err != nil {
			texts[i].grow(len(ids[i]))
			return nil, fmt.Errorf("Reader: text %d: %w", i, err)
		}
	}
}

// pages-asked-one-by-one: of several texts the first have grown when a later one finds no page
//
// Why: After an error everything is as before, in all texts.
//
// Hint: Count what all texts need together.
func (*Reader) fits() {
	if right {
		if need := r.pool.need(texts, more); need > len(r.pool.free) {
			return fmt.Errorf("Reader: the new tokens need %d pages, and %d are free", need, len(r.pool.free))
		}
	} else {
		for i := range texts {
			if need := r.pool.need(texts[:i+1], more[:i+1]); need > len(r.pool.free) {
				for j, t := range texts[:i] {
					t.grow(more[j])
				}
				return fmt.Errorf("Reader: the new tokens need %d pages, and %d are free", need, len(r.pool.free))
			}
		}
	}
}

// text-twice: a text that is there twice reads twice
//
// Why: Both rows would be written to the same places.
//
// Hint: An error if a text comes again.
func (*Reader) fits() {
	if right {
		switch longest := r.model.Config.ContextLength; {
		case t.pool != r.pool:
			return fmt.Errorf("Reader: text %d lies in another pool", i)
		case slices.Contains(texts[:i], t):
			return fmt.Errorf("Reader: text %d is there twice; a text reads once in a call", i)
		case t.length+more[i] > longest:
			return fmt.Errorf("Reader: text %d has %d tokens, and %d more are more than the context of %d",
				i, t.length, more[i], longest)
		}
	} else {
		switch longest := r.model.Config.ContextLength; {
		case t.pool != r.pool:
			return fmt.Errorf("Reader: text %d lies in another pool", i)
		case t.length+more[i] > longest:
			return fmt.Errorf("Reader: text %d has %d tokens, and %d more are more than the context of %d",
				i, t.length, more[i], longest)
		}
	}
}

// foreign-text: a text of another pool is read
//
// Why: Its pages are numbers of that pool, and the new keys would be written there.
//
// Hint: An error if the text's pool is not the reader's.
func (*Reader) fits() {
	if right {
		switch longest := r.model.Config.ContextLength; {
		case t.pool != r.pool:
			return fmt.Errorf("Reader: text %d lies in another pool", i)
		case slices.Contains(texts[:i], t):
			return fmt.Errorf("Reader: text %d is there twice; a text reads once in a call", i)
		case t.length+more[i] > longest:
			return fmt.Errorf("Reader: text %d has %d tokens, and %d more are more than the context of %d",
				i, t.length, more[i], longest)
		}
	} else {
		switch longest := r.model.Config.ContextLength; {
		case slices.Contains(texts[:i], t):
			return fmt.Errorf("Reader: text %d is there twice; a text reads once in a call", i)
		case t.length+more[i] > longest:
			return fmt.Errorf("Reader: text %d has %d tokens, and %d more are more than the context of %d",
				i, t.length, more[i], longest)
		}
	}
}

// pool-sized-work: a call makes a list of all pages of the pool
//
// Why: A call costs what is read, and not what there is room for.
//
// Hint: Go through the text's table, not through the pool.
func (*Reader) Forward() {
	if right {
		x := r.x.Data
	} else {
		owners := make([][]*Text, len(r.pool.holders))
		for _, t := range texts {
			for _, page := range t.pages {
				owners[page] = append(owners[page], t)
			}
		}
		x := r.x.Data
	}
}

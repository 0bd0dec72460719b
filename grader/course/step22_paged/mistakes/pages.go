//go:build mistake

package paged

// freed-while-shared: a page is free as soon as one text lets go of it
//
// Why: Another text still reads it. Whoever takes it next writes over what that text sees.
//
// Hint: Count down, and give it back at 0.
func (*Pool) release() {
	if right {
		if p.holders[page]--; p.holders[page] == 0 {
			p.free = append(p.free, page)
		}
	} else {
		p.holders[page]--
		p.free = append(p.free, page)
	}
}

// never-freed: a page that nobody holds is not taken again
//
// Why: A pool in which texts come and go would be full after a while, with nothing in it.
//
// Hint: When the count is 0, the page goes back to the free ones.
func (*Pool) release() {
	if right {
		if p.holders[page]--; p.holders[page] == 0 {
			p.free = append(p.free, page)
		}
	} else {
		p.holders[page]--
	}
}

// no-copy-on-write: a last page that is shared is written in place
//
// Why: The other text holds the same page, and finds the new token's key where its own will be.
//
// Hint: If the last page has room and more than one text holds it, take a copy first.
func (*Text) grow() {
	if right {
		if page, open := t.open(); open && n > 0 && p.holders[page] > 1 {
			own := p.take()
			for l := range p.keys {
				copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
				copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
			}
			p.release(page)
			t.pages[len(t.pages)-1] = own
		}
	} else {
	}
}

// copy-of-one-layer: of a page only the first layer is copied
//
// Why: A page holds the keys and values of its tokens in all layers.
//
// Hint: Copy for every layer.
func (*Text) grow() {
	if right {
		for l := range p.keys {
			copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
			copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
		}
	} else {
		for l := range p.keys[:1] {
			copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
			copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
		}
	}
}

// copy-of-keys: of a page the keys are copied, and the values are not
//
// Why: A weight belongs to a key and to the value of the same token.
//
// Hint: Copy both.
func (*Text) grow() {
	if right {
		copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
	} else {
	}
}

// page-not-copied: the page of one's own begins empty
//
// Why: A copy on write is a copy: the tokens before the new one lie there, too.
//
// Hint: Copy keys and values of all layers before anything is written.
func (*Text) grow() {
	if right {
		for l := range p.keys {
			copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
			copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
		}
	} else {
	}
}

// copied-page-still-held: who has taken a copy of a page goes on holding the old one
//
// Why: Nobody gives it back then, and the last text to write copies a page that is its own.
//
// Hint: Let go of the old page when the copy is made.
func (*Text) grow() {
	if right {
		p.release(page)
	} else {
	}
}

// copied-when-alone: the last page is copied at every append, though nobody shares it
//
// Why: A page of one's own is written in place. The copy needs a free page, which there may not be.
//
// Hint: Copy only if more than one text holds the page.
func (*Text) grow() {
	if right {
		if page, open := t.open(); open && n > 0 && p.holders[page] > 1 {
			own := p.take()
			for l := range p.keys {
				copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
				copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
			}
			p.release(page)
			t.pages[len(t.pages)-1] = own
		}
	} else {
		if page, open := t.open(); open && n > 0 {
			own := p.take()
			for l := range p.keys {
				copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
				copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
			}
			p.release(page)
			t.pages[len(t.pages)-1] = own
		}
	}
}

func (*Pool) need() {
	if right {
		if page, open := t.open(); open && more[i] > 0 && p.holders[page]-copied[page] > 1 {
			copied[page]++
			need++
		}
	} else {
		if page, open := t.open(); open && more[i] > 0 {
			copied[page]++
			need++
		}
	}
}

// copied-without-tokens: an append of no token takes a copy of a shared page
//
// Why: Nothing is written, so nobody is disturbed.
//
// Hint: No copy if n is 0.
func (*Text) grow() {
	if right {
		if page, open := t.open(); open && n > 0 && p.holders[page] > 1 {
			own := p.take()
			for l := range p.keys {
				copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
				copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
			}
			p.release(page)
			t.pages[len(t.pages)-1] = own
		}
	} else {
		if page, open := t.open(); open && p.holders[page] > 1 {
			own := p.take()
			for l := range p.keys {
				copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
				copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
			}
			p.release(page)
			t.pages[len(t.pages)-1] = own
		}
	}
}

// full-page-copied: a last page that is full is copied, too, if it is shared
//
// Why: Nothing is written to it any more. New tokens go to a new page.
//
// Hint: A copy is needed only if Len mod S is not 0.
func (*Text) open() {
	if right {
		if t.length%t.pool.size == 0 {
			return 0, false
		}
	} else {
		if t.length == 0 {
			return 0, false
		}
	}
}

// half-an-append: an append takes what pages there are, and then finds that they are too few
//
// Why: After an error everything is as before: the next text could have had these pages.
//
// Hint: Count what is needed first, then take it.
func (*Text) Append() {
	if right {
		if need := t.pool.need([]*Text{t}, []int{n}); need > len(t.pool.free) {
			return fmt.Errorf("Text: %d more tokens need %d pages, and %d are free", n, need, len(t.pool.free))
		}
	} else {
		if need := t.pool.need([]*Text{t}, []int{n}); need > len(t.pool.free) {
			for len(t.pool.free) > 0 {
				t.pages = append(t.pages, t.pool.take())
				t.length = len(t.pages) * t.pool.size
			}
			return fmt.Errorf("Text: %d more tokens need %d pages, and %d are free", n, need, len(t.pool.free))
		}
	}
}

// pages-kept-at-refusal: an append that is refused has taken pages, which nobody gives back
//
// Why: After an error everything is as before: the next text could have had these pages.
//
// Hint: Count what is needed first, then take it.
func (*Text) Append() {
	if right {
		if need := t.pool.need([]*Text{t}, []int{n}); need > len(t.pool.free) {
			return fmt.Errorf("Text: %d more tokens need %d pages, and %d are free", n, need, len(t.pool.free))
		}
	} else {
		if need := t.pool.need([]*Text{t}, []int{n}); need > len(t.pool.free) {
			for len(t.pool.free) > 0 {
				t.pool.take()
			}
			return fmt.Errorf("Text: %d more tokens need %d pages, and %d are free", n, need, len(t.pool.free))
		}
	}
}

// copy-not-counted: the page that a copy takes is not counted before
//
// Why: Where no page is free but the append needs one for the copy alone, it goes wrong in the middle.
//
// Hint: One page more if the last is shared and has room.
func (*Pool) need() {
	if right {
		copied[page]++
		need++
	} else {
		copied[page]++
	}
}

// each-counts-a-copy: of two texts that share their last page, both count a page for the copy
//
// Why: When the first has copied it, the second holds it alone and writes in place. What would fit is refused.
//
// Hint: Count who still holds the page after the copies that the texts before have taken.
func (*Pool) need() {
	if right {
		copied[page]++
		need++
	} else {
		need++
	}
}

// one-page-for-any: an append takes one page at the most
//
// Why: A prompt may need several: ⌈(Len + n)/S⌉ in all.
//
// Hint: Take pages until there are enough for the new length.
func (*Text) grow() {
	if right {
		for len(t.pages) < p.pagesFor(t.length) {
			t.pages = append(t.pages, p.take())
		}
	} else {
		if len(t.pages) < p.pagesFor(t.length) {
			t.pages = append(t.pages, p.take())
		}
	}
}

// pages-rounded-down: n tokens are said to need n/S pages, rounded down
//
// Why: The last page is one that is not full.
//
// Hint: ⌈n/S⌉ is (n + S − 1)/S in whole numbers.
func (*Pool) pagesFor() {
	if right {
		return (n + p.size - 1) / p.size
	} else {
		return n / p.size
	}
}

// page-ahead: a text holds a page more than it has tokens for when its last one is full
//
// Why: ⌈n/S⌉ pages are enough for n tokens. A page is taken when a token needs it.
//
// Hint: (n + S − 1)/S, and not n/S + 1.
func (*Pool) pagesFor() {
	if right {
		return (n + p.size - 1) / p.size
	} else {
		return n/p.size + 1
	}
}

// fork-not-counted: a fork does not count itself among those that hold its pages
//
// Why: The first of the two to let go of a page then frees it for both, and who writes believes to be alone.
//
// Hint: Add one for every page of the table.
func (*Text) Fork() {
	if right {
		for _, page := range t.pages {
			t.pool.holders[page]++
		}
	} else {
	}
}

// fork-counts-places: a fork counts at the places of the table, and not at the pages that stand there
//
// Why: The count belongs to the page: the i-th of a text is page pages[i] of the pool.
//
// Hint: holders[page] for each page of the table.
func (*Text) Fork() {
	if right {
		for _, page := range t.pages {
			t.pool.holders[page]++
		}
	} else {
		for i := range t.pages {
			t.pool.holders[i]++
		}
	}
}

// fork-counts-last: a fork counts itself at the last page only
//
// Why: It holds all pages of the table. When the first text leaves, all but the last would be free.
//
// Hint: Add one for every page of the table.
func (*Text) Fork() {
	if right {
		for _, page := range t.pages {
			t.pool.holders[page]++
		}
	} else {
		for _, page := range t.pages[max(0, len(t.pages)-1):] {
			t.pool.holders[page]++
		}
	}
}

// fork-copies: a fork takes a copy of every page at once
//
// Why: Then nothing is shared: sixteen continuations take the memory of sixteen texts.
//
// Hint: Copy the table and count. A page is copied when somebody writes to it.
func (*Text) Fork() {
	if right {
		for _, page := range t.pages {
			t.pool.holders[page]++
		}
		return &Text{pool: t.pool, pages: slices.Clone(t.pages), length: t.length}
	} else {
		p := t.pool
		other := &Text{pool: p, length: t.length}
		for _, page := range t.pages {
			own := p.take()
			for l := range p.keys {
				copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
				copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
			}
			other.pages = append(other.pages, own)
		}
		return other
	}
}

// one-table: a fork has the same table, and not a copy of it
//
// Why: The two go on in different pages. What one of them puts in its table, the other finds in its own.
//
// Hint: slices.Clone.
func (*Text) Fork() {
	if right {
		return &Text{pool: t.pool, pages: slices.Clone(t.pages), length: t.length}
	} else {
		return &Text{pool: t.pool, pages: t.pages, length: t.length}
	}
}

// table-handed-out: Pages returns the table itself
//
// Why: Who changes what was returned changes where the text's keys are looked for.
//
// Hint: slices.Clone.
func (*Text) Pages() {
	if right {
		return slices.Clone(t.pages)
	} else {
		return t.pages
	}
}

// stale-table: a cut gives pages back that stay in the table
//
// Why: The next append believes that it has them already, and writes to pages of others.
//
// Hint: Shorten the table by what was given back.
func (*Text) Truncate() {
	if right {
		t.pages, t.length = t.pages[:keep], n
	} else {
		t.length = n
	}
}

// cut-keeps-pages: a cut shortens the table, and gives no page back
//
// Why: What has no tokens is somebody else's room.
//
// Hint: Let go of the pages behind ⌈n/S⌉.
func (*Text) Truncate() {
	if right {
		for _, page := range t.pages[keep:] {
			t.pool.release(page)
		}
	} else {
	}
}

// cut-one-too-many: a cut gives back the page in which the text now ends
//
// Why: Its first tokens are still there: ⌈n/S⌉ pages stay, rounded up.
//
// Hint: (n + S − 1)/S.
func (*Text) Truncate() {
	if right {
		keep := t.pool.pagesFor(n)
	} else {
		keep := n / t.pool.size
	}
}

// any-cut: a cut to more tokens than there are makes the text longer
//
// Why: Nobody has written what would lie there.
//
// Hint: An IndexError unless 0 ≤ n ≤ Len.
func (*Text) Truncate() {
	if right {
		if n < 0 || n > t.length {
			panic(tensor.IndexError{Op: "Text.Truncate: n", Got: n, Limit: t.length + 1})
		}
	} else {
		n = max(0, n)
		if n > t.length {
			t.grow(n - t.length)
		}
	}
}

// any-append: a negative number of tokens is appended
//
// Why: A mistake of the caller is to be said where it is made. Truncate makes a text shorter.
//
// Hint: An IndexError if n is negative.
func (*Text) Append() {
	if right {
		if n < 0 {
			panic(tensor.IndexError{Op: "Text.Append: n", Got: n})
		}
	} else {
		n = max(n, 0)
	}
}

// any-pool: a pool without layers, heads, pages or room is accepted
//
// Why: A mistake of the caller is to be said where it is made.
//
// Hint: A ShapeError unless all five are at least 1.
func NewPool() {
	if right {
		for _, n := range []int{layers, heads, width, pages, size} {
			if n < 1 {
				op := "paged.NewPool: layers, heads, width, pages and size must be at least 1"
				panic(tensor.ShapeError{Op: op, Got: []int{layers, heads, width, pages, size}})
			}
		}
	} else {
		layers, heads, width, pages, size = max(1, layers), max(1, heads), max(1, width), max(1, pages), max(1, size)
	}
}

// keys-counted-only: the bytes of the values are not counted
//
// Why: A pool has keys and values.
//
// Hint: 2·L·P·H·S·K numbers.
func (*Pool) Bytes() {
	if right {
		return 4 * 2 * len(p.keys) * p.keys[0].Len()
	} else {
		return 4 * len(p.keys) * p.keys[0].Len()
	}
}

// used-counted: only what texts hold is counted as memory
//
// Why: All of it is allocated in NewPool.
//
// Hint: 2·L·P·H·S·K numbers, however many pages are free.
func (*Pool) Bytes() {
	if right {
		return 4 * 2 * len(p.keys) * p.keys[0].Len()
	} else {
		return 4 * 2 * len(p.keys) * p.keys[0].Len() / len(p.holders) * (len(p.holders) - len(p.free))
	}
}

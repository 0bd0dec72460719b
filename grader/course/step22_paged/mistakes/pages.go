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

//go:build mistake

package windows

// ring-with-sinks: the ring goes round over the places of the sinks, too
//
// Why: The sinks stay. Only the other W places are given on.
//
// Hint: s + (p − s) mod W behind the sinks.
func Slot() {
	if right {
		return sinks + (p-sinks)%window
	} else {
		return p % (window + sinks)
	}
}

// ring-from-zero: the ring is entered at p mod W, as if there were no sinks before
//
// Why: The first token behind the sinks has the first place of the ring: places fill in order, and before the ring is
// full the filled ones are the first p + 1.
//
// Hint: s + (p − s) mod W.
func Slot() {
	if right {
		return sinks + (p-sinks)%window
	} else {
		return sinks + p%window
	}
}

// no-sinks-kept: there are no places for the sinks
//
// Why: With sinks the first s places are theirs for ever.
//
// Hint: p for p < s.
func Slot() {
	if right {
		return p
	} else {
		return sinks + p%window
	}
}

// ring-one-short: the ring goes round one place too early
//
// Why: The ring has W places.
//
// Hint: (p − s) mod W.
func Slot() {
	if right {
		return sinks + (p-sinks)%window
	} else {
		return sinks + (p-sinks)%max(1, window-1)
	}
}

// empty-places-seen: places that nothing has been written to are seen
//
// Why: Before s + W tokens have come the rest of the ring is zeros: keys with the score 0, which have a weight.
//
// Hint: min(p + 1, s + W) places.
func (*Cache) attend() {
	if right {
		slot, seen := Slot(p, c.window, c.sinks), min(p+1, places)
	} else {
		slot, seen := Slot(p, c.window, c.sinks), places
	}
}

// oldest-is-slot-zero: as long as the ring is not full, a token sees what lies behind its place, and not itself
//
// Why: The places fill from the first on: before the ring is full the oldest lies in the first place, and the newest
// in the last that is filled.
//
// Hint: Places 0 to min(p + 1, s + W) − 1.
func (*Cache) attend() {
	if right {
		slot, seen := Slot(p, c.window, c.sinks), min(p+1, places)
	} else {
		slot, seen := Slot(p, c.window, c.sinks), min(max(1, p), places)
	}
}

// reads-before-it-writes: a token attends before its key is in the ring
//
// Why: The window counts the token itself, and whose place it takes is no longer in it.
//
// Hint: Write first, then attend.
func (*Cache) attend() {
	if right {
		copy(keys.Row(slot), k.Row(i))
		copy(values.Row(slot), v.Row(i))
		y := c.attention.Forward(q.Slice(i, i+1), keys.Slice(0, seen), values.Slice(0, seen), nil)
		copy(c.joined.Row(i)[h*d/heads:], y.Data)
	} else {
		y := c.attention.Forward(q.Slice(i, i+1), keys.Slice(0, seen), values.Slice(0, seen), nil)
		copy(c.joined.Row(i)[h*d/heads:], y.Data)
		copy(keys.Row(slot), k.Row(i))
		copy(values.Row(slot), v.Row(i))
	}
}

// evicted-before-read: all new tokens are written to the ring before the first of them attends
//
// Why: In a prompt of more than a window the last tokens take the places of keys that the first ones still see, and
// the first ones see keys that come after them.
//
// Hint: One token after another: write its key and value, then attend.
func (*Cache) attend() {
	if right {
		for i := range x.Dim(0) {
			p := c.length + i
			slot, seen := Slot(p, c.window, c.sinks), min(p+1, places)
			copy(keys.Row(slot), k.Row(i))
			copy(values.Row(slot), v.Row(i))
			y := c.attention.Forward(q.Slice(i, i+1), keys.Slice(0, seen), values.Slice(0, seen), nil)
			copy(c.joined.Row(i)[h*d/heads:], y.Data)
		}
	} else {
		for i := range x.Dim(0) {
			slot := Slot(c.length+i, c.window, c.sinks)
			copy(keys.Row(slot), k.Row(i))
			copy(values.Row(slot), v.Row(i))
		}
		for i := range x.Dim(0) {
			seen := min(c.length+i+1, places)
			y := c.attention.Forward(q.Slice(i, i+1), keys.Slice(0, seen), values.Slice(0, seen), nil)
			copy(c.joined.Row(i)[h*d/heads:], y.Data)
		}
	}
}

// values-not-kept: the values are written to another place than the keys
//
// Why: A weight belongs to a key and to the value of the same token.
//
// Hint: Both at Slot(p).
func (*Cache) attend() {
	if right {
		copy(values.Row(slot), v.Row(i))
	} else {
		copy(values.Row(p%places), v.Row(i))
	}
}

// masked-by-place: a place is seen if it comes before the token's own in the ring
//
// Why: Behind the token's own place lie older tokens, which the window still shows. Masks are about positions, not
// about places.
//
// Hint: All filled places are seen.
func (*Cache) attend() {
	if right {
		slot, seen := Slot(p, c.window, c.sinks), min(p+1, places)
	} else {
		_ = places
		slot := Slot(p, c.window, c.sinks)
		seen := slot + 1
	}
}

// one-ring: all layers write to one ring
//
// Why: Every layer has keys and values of its own.
//
// Hint: A ring for each block.
func (*Cache) Forward() {
	if right {
		kernel.Add(stream, stream, c.attend(b.Attn, c.rings[l], b.Norm1.Forward(c.x)).Data)
	} else {
		_ = l
		kernel.Add(stream, stream, c.attend(b.Attn, c.rings[0], b.Norm1.Forward(c.x)).Data)
	}
}

// one-head: all heads write to the ring of the first
//
// Why: Every head has keys and values of its own.
//
// Hint: Head h owns (s + W, K) of the buffer.
func (*Cache) attend() {
	if right {
		keys, values := head(r.keys, h), head(r.values, h)
	} else {
		keys, values := head(r.keys, 0), head(r.values, 0)
	}
}

package bpe_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step14_bpe"
)

// pieces is a reader that gives so many bytes at a time, over and over again, and the
// last of them together with io.EOF.
type pieces struct {
	text   []byte
	sizes  []int
	played int
}

func (p *pieces) Read(into []byte) (int, error) {
	n := copy(into, p.text[:min(len(p.text), p.sizes[p.played%len(p.sizes)])])
	p.text = p.text[n:]
	p.played++
	if len(p.text) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// encodeReader encodes what a reader gives. While it does, it encodes another text with
// the same tokenizer, which keeps nothing of either.
func encodeReader(in subject.Args) (wire.Values, error) {
	t, err := tokenizer(in)
	if err != nil {
		return nil, err
	}
	ids, text := []int{}, in.Bytes("text")
	other := slices.Clone(text[:min(len(text), 20)])
	slices.Reverse(other)
	err = t.EncodeReader(&pieces{text: text, sizes: in.Ints("chunks")}, func(more []int) error {
		t.Encode(other)
		ids = append(ids, more...)
		return nil
	})
	return wire.Values{"ids": integers(ids)}, err
}

// failing lets the reader fail behind the text, or a call of emit. A reader fails in two
// ways, the second of which io.ReadFull has another meaning for.
func failing(in subject.Args) (out wire.Values, err error) {
	for _, broken := range []error{errors.New("the reader broke"), io.ErrUnexpectedEOF} {
		out, err = failingWith(in, broken)
		if err != nil || out["failed"].I64[0] != 1 {
			return out, err
		}
	}
	return out, nil
}

func failingWith(in subject.Args, broken error) (wire.Values, error) {
	t, err := tokenizer(in)
	if err != nil {
		return nil, err
	}
	enough := errors.New("that is enough")
	expected, stop := broken, in.Int("stop")
	var r io.Reader = bytes.NewReader(in.Bytes("text"))
	if stop >= 0 {
		expected = enough
	} else {
		r = io.MultiReader(r, breaks{broken})
	}
	ids, calls := []int{}, 0
	err = t.EncodeReader(r, func(more []int) error {
		if calls++; calls > stop && stop >= 0 {
			return enough
		}
		ids = append(ids, more...)
		return nil
	})
	failed := 0
	if err != nil {
		failed = 2
	}
	if errors.Is(err, expected) {
		failed = 1
	}
	return wire.Values{"ids": integers(ids), "failed": wire.Int(failed), "calls": wire.Int(calls)}, nil
}

// breaks is a reader that fails.
type breaks struct{ err error }

func (b breaks) Read([]byte) (int, error) { return 0, b.err }

// copies is a reader of copies of a text in which every byte 1 becomes another letter in
// every copy. From time to time it looks at the memory in use.
type copies struct {
	text []byte
	left int
	rest []byte // of the copy that is being read
	rng  *rand.Rand
	live uint64 // bytes in use at most
}

func (c *copies) Read(into []byte) (int, error) {
	if len(c.rest) == 0 {
		if c.left == 0 {
			return 0, io.EOF
		}
		if c.left--; c.left%600 == 0 {
			c.live = max(c.live, inUse())
		}
		c.rest = bytes.Clone(c.text)
		for i, b := range c.rest {
			if b == 1 {
				c.rest[i] = 'a' + byte(c.rng.IntN(26))
			}
		}
	}
	n := copy(into, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// inUse returns how many bytes can be reached.
func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// kept returns how many bytes are in use at most, beyond those before, after a tokenizer
// that has encoded before has encoded a text with words that come only once.
func kept(t *Tokenizer, rng *rand.Rand) int {
	const texts, words = 4, 600
	text, most := make([]byte, 0, 9*words), uint64(0)
	before := inUse()
	for range texts {
		text = text[:0]
		for range words {
			text = append(text, ' ')
			for range 8 {
				text = append(text, 'a'+byte(rng.IntN(26)))
			}
		}
		t.Encode(text)
		runtime.GC() // twice in all, for what lies in a sync.Pool
		most = max(most, inUse())
	}
	runtime.KeepAlive(t)
	return int(max(most, before) - before)
}

func stream(in subject.Args) (wire.Values, error) {
	t, err := tokenizer(in)
	if err != nil {
		return nil, err
	}
	lengths, sum := in.Ints("vocab_lengths"), 0
	r := &copies{text: in.Bytes("text"), left: in.Int("copies"), rng: rand.New(rand.NewPCG(14, 14))}
	before := inUse()
	err = t.EncodeReader(r, func(ids []int) error {
		for _, id := range ids {
			sum += lengths[id]
		}
		return nil
	})
	return wire.Values{"bytes": wire.Int(sum), "live": wire.Int(int(max(r.live, before) - before)), "kept": wire.Int(kept(t, r.rng))}, err
}

// encodeCopies compares the tokens of every copy with those of the one before it. An
// argument lead is how many letters a, which are a token each, come before them all.
func encodeCopies(in subject.Args) (wire.Values, error) {
	t, err := tokenizer(in)
	if err != nil {
		return nil, err
	}
	period, lead := in.Int("period"), 0
	if in.Has("lead") {
		lead = in.Int("lead")
	}
	ids, tokens, differs := []int{}, -lead, -1
	r := io.MultiReader(bytes.NewReader(bytes.Repeat([]byte{'a'}, lead)), &copies{text: in.Bytes("text"), left: in.Int("copies")})
	err = t.EncodeReader(r, func(more []int) error {
		for _, id := range more {
			if tokens < 0 {
			} else if tokens < period {
				ids = append(ids, id)
			} else if id != ids[tokens%period] && differs < 0 {
				differs = tokens
			}
			tokens++
		}
		return nil
	})
	return wire.Values{"ids": integers(ids), "tokens": wire.Int(tokens), "differs": wire.Int(differs)}, err
}

// encodeGrowth times the beginnings of a text.
func encodeGrowth(in subject.Args) (wire.Values, error) {
	t, err := tokenizer(in)
	if err != nil {
		return nil, err
	}
	text := in.Bytes("text")
	var ids []int
	seconds := timed(in, func(n int) { ids = t.Encode(text[:n]) })
	return wire.Values{"seconds": seconds, "ids": integers(ids)}, nil
}

// trainGrowth times the learning of vocabularies.
func trainGrowth(in subject.Args) (wire.Values, error) {
	text := in.Bytes("text")
	var t *Tokenizer
	var err error
	seconds := timed(in, func(n int) {
		if t, err = Train(bytes.NewReader(text), n); err != nil {
			panic(err)
		}
	})
	return wire.Values{"seconds": seconds, "merges": vocabulary(t)["merges"]}, nil
}

// timed returns how many seconds of a processor's time a call takes with each of the
// sizes, the best of some turns. Goroutines get one processor, so that none waits.
func timed(in subject.Args, call func(n int)) wire.Value {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	sizes := in.Ints("sizes")
	seconds := make([]float64, len(sizes))
	for i, n := range sizes {
		seconds[i] = math.Inf(1)
		for range in.Int("turns") {
			runtime.GC()
			start := cputime.Process()
			call(n)
			seconds[i] = min(seconds[i], (cputime.Process() - start).Seconds())
		}
	}
	return wire.Floats(seconds, len(seconds))
}

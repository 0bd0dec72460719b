package bpe_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/stubformer/stubformer/grader/probe/subject"
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
	chunks := in.Ints("chunks")
	in.Calls(func() {
		ids = ids[:0]
		var r io.Reader = &pieces{text: text, sizes: chunks}
		if in.Has("file") {
			r = in.Reader("text")
		}
		err = t.EncodeReader(r, func(more []int) error {
			t.Encode(other)
			ids = append(ids, more...)
			return nil
		})
	})
	if out, ok := in.Broke(err); ok {
		return out, nil
	}
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
			c.live = max(c.live, withStacks())
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

// withStacks returns how many bytes can be reached or are stacks of goroutines.
func withStacks() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
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
	before := withStacks()
	err = t.EncodeReader(r, func(ids []int) error {
		for _, id := range ids {
			sum += lengths[id]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	fresh, err := tokenizer(in) // one that no text has filled
	if err != nil {
		return nil, err
	}
	fresh.Encode(in.Bytes("text"))
	return wire.Values{"bytes": wire.Int(sum), "live": wire.Int(int(max(r.live, before) - before)),
		"kept": wire.Int(kept(fresh, r.rng))}, nil
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
	r := io.MultiReader(bytes.NewReader(bytes.Repeat([]byte{'a'}, lead)),
		&copies{text: in.Bytes("text"), left: in.Int("copies")})
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
	defer subject.OneProcessor()()
	text, sizes := in.Bytes("text"), in.Ints("sizes")
	seconds := make([]float64, len(sizes))
	var ids []int
	for i, n := range sizes {
		beginning := slices.Clone(text[:n])
		seconds[i] = subject.Spent(func() { ids = t.Encode(beginning) }).Seconds()
	}
	return wire.Values{"seconds": wire.Floats(seconds, len(seconds)), "ids": integers(ids)}, nil
}

// trainTime times the learning of a vocabulary, and between two halves of that the
// counting of all pairs, of a text with a pre-token in every line.
func trainTime(in subject.Args) (wire.Values, error) {
	const turns = 4
	text := in.Bytes("text")
	lines := words(text)
	defer subject.OneProcessor()()
	count := func() time.Duration {
		return subject.Alone(func() {
			for range turns {
				countPairs(lines)
			}
		})
	}
	before := count()
	var t *Tokenizer
	var err error
	own := subject.Spent(func() { t, err = Train(bytes.NewReader(text), in.Int("vocab_size")) })
	if err != nil {
		return nil, err
	}
	one := (before + count()).Seconds() / (2 * turns)
	return wire.Values{"own": wire.Float(own.Seconds()), "counting": wire.Float(one),
		"merges": vocabulary(t)["merges"]}, nil
}

// words returns the tokens of every line that comes for the first time.
func words(text []byte) (words [][]int) {
	seen := map[string]bool{}
	for line := range bytes.Lines(text) {
		if seen[string(line)] {
			continue
		}
		seen[string(line)] = true
		var ids []int
		for _, b := range bytes.TrimSpace(line) {
			ids = append(ids, int(b))
		}
		words = append(words, ids)
	}
	return words
}

// countPairs counts the pairs of all words: what every merge would take whose program
// counts again.
func countPairs(words [][]int) map[[2]int]int {
	counts := map[[2]int]int{}
	for _, ids := range words {
		for i := 1; i < len(ids); i++ {
			counts[[2]int{ids[i-1], ids[i]}]++
		}
	}
	return counts
}

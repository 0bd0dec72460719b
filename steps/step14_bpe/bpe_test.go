// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package bpe_test

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step14_bpe"
)

func TestStep14(t *testing.T) { subject.Test(t, "step14", functions) }

var functions = subject.Functions{
	"pretokens":         preTokens,
	"bpe.train":         train,
	"bpe.train.time":    trainTime,
	"bpe.roundtrip":     roundTrip,
	"bpe.encode":        encode,
	"bpe.encode.growth": encodeGrowth,
	"bpe.encode_reader": encodeReader,
	"bpe.stream":        stream,
	"bpe.copies":        encodeCopies,
	"bpe.failing":       failing,
	"bpe.decode":        decode,
	"bpe.read": func(in subject.Args) (wire.Values, error) {
		t, err := returned(in, func() (*Tokenizer, error) {
			return Read(in.Reader("vocab_file"), in.Reader("merges_file"), special(in)...)
		})
		if out, ok := in.Broke(err); ok {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		return vocabulary(t), nil
	},
	"bpe.write": func(in subject.Args) (wire.Values, error) {
		t, err := tokenizer(in)
		if err != nil {
			return nil, err
		}
		var vocab, merges bytes.Buffer
		err = t.Write(in.Writer("vocab_file", &vocab), in.Writer("merges_file", &merges))
		if out, ok := in.Broke(err); ok {
			return out, nil
		}
		if err != nil {
			if vocab.Len()+merges.Len() > 0 {
				return nil, subject.Broken("Write returned an error after it had written %d bytes",
					vocab.Len()+merges.Len())
			}
			return nil, err
		}
		return wire.Values{"vocab_file": ofBytes(vocab.Bytes()), "merges_file": ofBytes(merges.Bytes())}, nil
	},
}

// preTokens cuts a text one pre-token after the other, to the end and once beyond.
func preTokens(in subject.Args) (wire.Values, error) {
	text := in.Bytes("text")
	lengths := []int{}
	for rest := text; len(rest) > 0; {
		n := PreToken(rest)
		if n <= 0 || n > len(rest) {
			return nil, subject.Broken("PreToken returned %d for a text of %d bytes", n, len(rest))
		}
		lengths, rest = append(lengths, n), rest[n:]
	}
	if n := PreToken(text[len(text):]); n != 0 {
		return nil, subject.Broken("PreToken returned %d for a text of 0 bytes", n)
	}
	return wire.Values{"lengths": integers(lengths)}, nil
}

func train(in subject.Args) (wire.Values, error) {
	t, err := returned(in, func() (*Tokenizer, error) {
		return Train(in.Reader("text"), in.Int("vocab_size"), special(in)...)
	})
	if out, ok := in.Broke(err); ok {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	return vocabulary(t), nil
}

func roundTrip(in subject.Args) (wire.Values, error) {
	t, err := Train(bytes.NewReader(in.Bytes("learnt")), in.Int("vocab_size"), special(in)...)
	if err != nil {
		return nil, err
	}
	ids := t.Encode(in.Bytes("text"))
	text, err := t.Decode(ids)
	return wire.Values{"ids": integers(ids), "text": ofBytes(text)}, err
}

// encode encodes a text, then another, and then the first again. What it got first is the
// caller's, who changes it. A tokenizer that has not been asked yet encodes it in several
// goroutines at once.
func encode(in subject.Args) (wire.Values, error) {
	t, err := tokenizer(in)
	if err != nil {
		return nil, err
	}
	text := in.Bytes("text")
	var first []int
	in.Calls(func() { first = t.Encode(text) })
	ids := slices.Clone(first)
	backwards := slices.Clone(text)
	slices.Reverse(backwards)
	t.Encode(backwards)
	if !slices.Equal(first, ids) {
		return wire.Values{"ids": integers(first)}, nil
	}
	for i := range first {
		first[i] = -1
	}
	again := t.Encode(text)
	atOnce, err := encodeAtOnce(in, text)
	for _, ids := range atOnce {
		if !slices.Equal(ids, again) {
			again = ids
		}
	}
	return wire.Values{"ids": integers(again)}, err
}

// encodeAtOnce encodes a text a few times in each of some goroutines. They begin together,
// with a tokenizer that has not been asked yet.
func encodeAtOnce(in subject.Args, text []byte) (results [][]int, err error) {
	const goroutines, times, tokenizers = 4, 3, 6
	for range tokenizers {
		t, err := tokenizer(in)
		if err != nil {
			return nil, err
		}
		round := make([][]int, goroutines)
		var here atomic.Int32
		var all sync.WaitGroup
		for g := range round {
			all.Go(func() {
				for here.Add(1); here.Load() < goroutines; {
					runtime.Gosched()
				}
				for range times {
					round[g] = t.Encode(text)
				}
			})
		}
		all.Wait()
		results = append(results, round...)
	}
	return results, nil
}

// decode decodes twice, with other tokens in between, and then each token on its own. What
// it gets is the caller's, who changes it and appends to it.
func decode(in subject.Args) (wire.Values, error) {
	t, err := tokenizer(in)
	if err != nil {
		return nil, err
	}
	ids := in.Ints("ids")
	var first, second []byte
	in.Calls(func() { in.Returned(func() { first, err = t.Decode(ids) }) })
	if err != nil {
		return nil, err
	}
	text := slices.Clone(first)
	others := slices.Clone(ids)
	slices.Reverse(others)
	if _, err := t.Decode(others); err != nil || !bytes.Equal(first, text) {
		return wire.Values{"text": ofBytes(first)}, err
	}
	for i := range first {
		first[i] ^= 0xff
	}
	_ = append(first, 0xff)
	if second, err = t.Decode(ids); err != nil || !bytes.Equal(text, second) {
		return wire.Values{"text": ofBytes(second)}, err
	}
	for _, id := range ids {
		one, err := t.Decode([]int{id})
		if err != nil {
			return nil, err
		}
		for i := range one {
			one[i] ^= 0xff
		}
		_ = append(one, 0xff)
	}
	text, err = t.Decode(ids)
	return wire.Values{"text": ofBytes(text)}, err
}

// tokenizer returns the one that the arguments describe.
func tokenizer(in subject.Args) (*Tokenizer, error) {
	merges := [][2]int{}
	for _, pair := range in.IDs("merges") {
		merges = append(merges, [2]int{pair[0], pair[1]})
	}
	return returned(in, func() (*Tokenizer, error) {
		return New(byteStrings(in, "vocab"), merges, in.Ints("special_ids"))
	})
}

// returned calls a function that has to return its errors, and a tokenizer if there is none.
func returned(in subject.Args, call func() (*Tokenizer, error)) (t *Tokenizer, err error) {
	in.Returned(func() { t, err = call() })
	if t == nil && err == nil {
		err = subject.Broken("neither a tokenizer nor an error was returned")
	}
	return t, err
}

// byteStrings cuts an argument of bytes into the lengths of NAME_lengths.
func byteStrings(in subject.Args, name string) [][]byte {
	data, parts := in.Bytes(name), [][]byte{}
	for _, n := range in.Ints(name + "_lengths") {
		parts, data = append(parts, data[:n:n]), data[n:]
	}
	return parts
}

func special(in subject.Args) []string {
	var texts []string
	for _, s := range byteStrings(in, "special") {
		texts = append(texts, string(s))
	}
	return texts
}

// vocabulary returns what a tokenizer has learnt or read.
func vocabulary(t *Tokenizer) wire.Values {
	lengths, merges := []int{}, wire.Ints([]int64{}, len(t.Merges), 2)
	for _, token := range t.Vocab {
		lengths = append(lengths, len(token))
	}
	for _, pair := range t.Merges {
		merges.I64 = append(merges.I64, int64(pair[0]), int64(pair[1]))
	}
	return wire.Values{"vocab": ofBytes(bytes.Join(t.Vocab, nil)), "vocab_lengths": integers(lengths), "merges": merges,
		"special_ids": integers(t.Special)}
}

func ofBytes(data []byte) wire.Value {
	v := wire.Ints(make([]int64, len(data)), len(data))
	for i, b := range data {
		v.I64[i] = int64(b)
	}
	return v
}

func integers(n []int) wire.Value {
	v := wire.Ints(make([]int64, len(n)), len(n))
	for i := range n {
		v.I64[i] = int64(n[i])
	}
	return v
}

package course

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// Truth returns the oracle's float64 answer, which is the caller's to change. A
// student edition has another truth.go, in which the error is ErrKeptBack.
func Truth(function string, in wire.Values) (wire.Values, error) {
	if seed, ok := in[rough]; ok {
		return oracle.EvalRough(function, exact(in), rand.New(rand.NewPCG(uint64(seed.I64[0]), 1)))
	}
	hash := sha256.New()
	if err := wire.Write(hash, wire.Message{Call: function, Values: in}); err != nil {
		return nil, err
	}
	question := [sha256.Size]byte(hash.Sum(nil))
	if want := known.recall(question); want != nil {
		return want, nil
	}
	want, err := oracle.Eval(function, in)
	if err != nil {
		return nil, fmt.Errorf("the oracle cannot evaluate %s: %w", function, err)
	}
	known.keep(question, want)
	return want, nil
}

// known holds answers that have been given: whoever grades a class, or the
// mistakes of a step, asks everybody the same.
var known notebook

// notebook holds the latest answers to questions, by their hashes.
type notebook struct {
	sync.Mutex
	answers map[[sha256.Size]byte]wire.Values
	numbers int // in all of them
}

// maxRemembered is how many numbers are held, 64 MB of them.
const maxRemembered = 8 << 20

// recall returns a copy of an answer, nil if it is not known.
func (b *notebook) recall(question [sha256.Size]byte) wire.Values {
	b.Lock()
	defer b.Unlock()
	if want := b.answers[question]; want != nil {
		return want.Clone()
	}
	return nil
}

// keep remembers a copy of an answer, and forgets all others if there are too many.
func (b *notebook) keep(question [sha256.Size]byte, answer wire.Values) {
	b.Lock()
	defer b.Unlock()
	if b.answers == nil || b.numbers > maxRemembered {
		b.answers, b.numbers = map[[sha256.Size]byte]wire.Values{}, 0
	}
	for _, v := range answer {
		b.numbers += v.Len()
	}
	b.answers[question] = answer.Clone()
}

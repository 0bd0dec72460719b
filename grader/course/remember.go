package course

import (
	"crypto/sha256"
	"sync"

	"github.com/stubformer/stubformer/reference/wire"
)

// Remembered answers as a solver does, which is asked only what it was not asked a short
// while ago: whoever grades a class, or the mistakes of a step, asks everybody the same.
// Two solvers must not have one name.
func Remembered(name string, answer Solver) Solver {
	return func(in wire.Values) (wire.Values, error) {
		if _, moved := in[rough]; moved { // asked once, by who remembers what it was for
			return answer(in)
		}
		hash := sha256.New()
		if err := wire.Write(hash, wire.Message{Call: name, Values: in}); err != nil {
			return nil, err
		}
		question := [sha256.Size]byte(hash.Sum(nil))
		if want := known.recall(question); want != nil {
			return want, nil
		}
		want, err := answer(in)
		if err == nil {
			known.keep(question, want)
		}
		return want, err
	}
}

// known holds answers that have been given.
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

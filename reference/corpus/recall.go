package corpus

import (
	"hash/fnv"
	"math/rand/v2"
)

// RecallName is the task in which a text tells what belongs to what, and is asked for it.
const RecallName = "recall"

// The tokens of the recall: keys from 0 up, and behind them the values.
const (
	RecallKeys   = 64
	RecallValues = 64
)

// Recall is a text of associative recall: N keys, each with its value behind it, and then the
// N keys once more, in another order. At each of these the model is asked for the value. The
// keys differ; the values are drawn one by one, so that no value says anything of another.
//
//	k₁ v₁ k₂ v₂ … k_N v_N  q₁ q₂ … q_N
//
// Source: Arora et al., "Zoology: Measuring and Improving Recall in Efficient Language
// Models", 2023: recall of many queries in one text. Theirs stand at distances of
// a power law, with other tokens between them; ours stand side by side.
type Recall struct {
	Tokens  []int // (3N)
	Answers []int // (N), the value of each key in Tokens[2N:]
}

// Recalls returns n texts of so many pairs, at most RecallKeys. The same seed gives the same
// texts; those to learn from and those that are kept back, one in eight, have none in common.
func Recalls(seed uint64, n, pairs int, heldOut HeldOut) []Recall {
	rng := rand.New(rand.NewPCG(seed, 0x726563616c6c^uint64(pairs)<<48)) // "recall"
	texts := make([]Recall, 0, n)
	for len(texts) < n {
		if t := drawRecall(rng, pairs, RecallKeys, RecallValues); t.keptBack() == heldOut {
			texts = append(texts, t)
		}
	}
	return texts
}

// drawRecall draws one text of so many pairs, of tokens 0 to keys + values − 1.
func drawRecall(rng *rand.Rand, pairs, keys, values int) Recall {
	var t Recall
	value := make([]int, keys) // of each key
	told := rng.Perm(keys)[:pairs]
	for _, key := range told {
		value[key] = keys + rng.IntN(values)
		t.Tokens = append(t.Tokens, key, value[key])
	}
	for _, i := range rng.Perm(pairs) {
		t.Tokens = append(t.Tokens, told[i])
		t.Answers = append(t.Answers, value[told[i]])
	}
	return t
}

// keptBack reports whether a text is held out. A hash of all tokens decides that: a part of
// a text tells nothing of the others.
func (t Recall) keptBack() HeldOut {
	h := fnv.New32a()
	for _, token := range t.Tokens {
		h.Write([]byte{byte(token)})
	}
	return h.Sum32()>>16%8 == 0
}

// BestRecall returns which part of the answers a model can give rightly at best, on the
// average over all texts of so many pairs, if it sees no more than reach tokens: the one at
// which it is asked, and those before it. A model that sees the whole text can give all.
//
// Asked for query i, it sees m of the N pairs whole. The key is among them with probability
// m/N, and then the answer is known. Otherwise the key belongs to one of the h = N − m others,
// as likely to one as to another, and any of V values is as likely; but where the window
// begins with a value whose key is just outside, that is it in one of h cases:
//
//	m/N + (1 − m/N)·g        g = 1/V, or 1/h + (1 − 1/h)/V
func BestRecall(pairs, reach int) float64 { return bestRecall(pairs, reach, RecallValues) }

func bestRecall(pairs, reach, values int) float64 {
	sum, n := 0.0, float64(pairs)
	for i := range pairs {
		first := max(0, 2*pairs+i-reach+1) // token that is seen
		hidden := float64(min(pairs, (first+1)/2))
		guess := 1 / float64(values)
		if first%2 == 1 && first < 2*pairs {
			guess = 1/hidden + (1-1/hidden)/float64(values)
		}
		sum += (n-hidden)/n + hidden/n*guess
	}
	return sum / n
}

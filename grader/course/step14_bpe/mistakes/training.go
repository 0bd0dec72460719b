//go:build mistake

package bpe

import (
	"bytes"
	"strings"
)

// ties-smallest: of pairs that occur as often, the smallest is taken
//
// Why: Some rule is needed, so that the same text always gives the same vocabulary. Here it is the
// greatest pair of byte strings.
//
// Hint: The comparison of the bytes has the same direction as that of the counts.
func (candidate) before() {
	if right {
		if c := bytes.Compare(a.left, b.left); c != 0 {
			return c > 0
		}
		return bytes.Compare(a.right, b.right) > 0
	} else {
		if c := bytes.Compare(a.left, b.left); c != 0 {
			return c < 0
		}
		return bytes.Compare(a.right, b.right) < 0
	}
}

// ties-by-id: of pairs that occur as often, the one with the larger ids is taken
//
// Why: Ids say in which order tokens were learnt, and not which byte string is greater: 256 may be
// " t", which is smaller than "a".
//
// Hint: bytes.Compare of the tokens' bytes.
func (candidate) before() {
	if right {
		if c := bytes.Compare(a.left, b.left); c != 0 {
			return c > 0
		}
		return bytes.Compare(a.right, b.right) > 0
	} else {
		if a.pair[0] != b.pair[0] {
			return a.pair[0] > b.pair[0]
		}
		return a.pair[1] > b.pair[1]
	}
}

// ties-by-id/first-learnt: of pairs that occur as often, the one with the smaller ids is taken
func (candidate) before() {
	if right {
		if c := bytes.Compare(a.left, b.left); c != 0 {
			return c > 0
		}
		return bytes.Compare(a.right, b.right) > 0
	} else {
		if a.pair[0] != b.pair[0] {
			return a.pair[0] < b.pair[0]
		}
		return a.pair[1] < b.pair[1]
	}
}

// ties-joined: of pairs that occur as often, the one that makes the greatest byte string is taken
//
// Why: (a, bc) and (ab, c) make the same bytes, but they are two pairs. The left tokens are compared
// first: a is smaller than ab.
//
// Hint: Compare the left tokens; only if they are equal, compare the right ones.
func (candidate) before() {
	if right {
		if c := bytes.Compare(a.left, b.left); c != 0 {
			return c > 0
		}
		return bytes.Compare(a.right, b.right) > 0
	} else {
		c := bytes.Compare(bytes.Join([][]byte{a.left, a.right}, nil), bytes.Join([][]byte{b.left, b.right}, nil))
		return c > 0 || c == 0 && len(a.left) > len(b.left)
	}
}

// ties-printed: of pairs that occur as often, the printed forms are compared
//
// Why: In the file a space is written Ġ, which is greater than every letter; the byte 32 is smaller
// than all of them.
//
// Hint: Compare the bytes, and print only when you write the file.
func (candidate) before() {
	if right {
		if c := bytes.Compare(a.left, b.left); c != 0 {
			return c > 0
		}
		return bytes.Compare(a.right, b.right) > 0
	} else {
		chars := printable()
		show := func(token []byte) string {
			text := ""
			for _, b := range token {
				text += string(chars[b])
			}
			return text
		}
		if c := strings.Compare(show(a.left), show(b.left)); c != 0 {
			return c > 0
		}
		return show(a.right) > show(b.right)
	}
}

// right-before-left: of pairs that occur as often, the right tokens are compared before the left ones
//
// Why: Pairs are compared as words in a dictionary are: by what comes first.
//
// Hint: Compare the left tokens; only if they are equal, compare the right ones.
func (candidate) before() {
	if right {
		if c := bytes.Compare(a.left, b.left); c != 0 {
			return c > 0
		}
		return bytes.Compare(a.right, b.right) > 0
	} else {
		if c := bytes.Compare(a.right, b.right); c != 0 {
			return c > 0
		}
		return bytes.Compare(a.left, b.left) > 0
	}
}

// rarest-first: the pair that occurs least is merged first
//
// Why: A token is worth most where it occurs most: it saves one token at each place.
//
// Hint: The highest count first.
func (candidate) before() {
	if right {
		if a.count != b.count {
			return a.count > b.count
		}
	} else {
		if a.count != b.count {
			return a.count < b.count
		}
	}
}

// most-bytes-first: pairs that make longer tokens are merged first
//
// Why: BPE asks how often a pair occurs and nothing else; that tokens grow long follows from it.
//
// Hint: Compare counts, then bytes.
func (candidate) before() {
	if right {
		if a.count != b.count {
			return a.count > b.count
		}
	} else {
		if la, lb := a.count*(len(a.left)+len(a.right)), b.count*(len(b.left)+len(b.right)); la != lb {
			return la > lb
		}
	}
}

// words-unweighted: every different word counts once, however often the text has it
//
// Why: The counts are those of the text. "the" comes a thousand times as often as "ferry", and its
// pairs are worth more.
//
// Hint: Add how often the pre-token occurs, not 1.
func (*learner) count() {
	if right {
		w := counted{times: n}
	} else {
		n = 1
		w := counted{times: n}
	}
}

// overlaps-once: in aaa the pair (a, a) is counted once
//
// Why: It stands there at two places. That only one of them can merge is another matter: counts say
// how often two tokens are neighbours.
//
// Hint: Count at every place i the pair of tokens i and i + 1.
func (*learner) add() {
	if right {
		l.counts[p] += times
	} else {
		if p[0] == p[1] && equalsBefore(ids, i-1)%2 == 1 {
			continue
		}
		l.counts[p] += times
	}
}

func equalsBefore(ids []int, i int) int {
	n := 0
	for n < i && ids[i-1-n] == ids[i] {
		n++
	}
	return n
}

// neighbours-not-taken-out: the pairs of a word that changes are not taken out of the counts
//
// Why: If xaby becomes x(ab)y, the pairs (x, a) and (b, y) are there no longer. What was counted once
// and never taken back is merged again although it does not occur.
//
// Hint: Before a word changes, take its pairs out of the counts.
func (*learner) replace() {
	if right {
		l.add(word, -w.times, touched)
	} else {
		l.counts[p] = 0
	}
}

// neighbours-not-put-in: the pairs of a word that has changed are not put into the counts
//
// Why: The new token has neighbours too, and the word's other pairs are still there.
//
// Hint: After a word has changed, count its pairs again.
func (*learner) replace() {
	if right {
		l.add(word, w.times, touched)
	} else {
	}
}

// first-occurrence-only: of several places in a word only the first is merged
//
// Why: A merge makes one token of a pair wherever it occurs.
//
// Hint: Go on to the end of the word.
func joined() {
	if right {
		if i+1 < len(ids) && ids[i] == p[0] && ids[i+1] == p[1] {
			out = append(out, id)
			i++
		} else {
			out = append(out, ids[i])
		}
	} else {
		if i+1 < len(ids) && ids[i] == p[0] && ids[i+1] == p[1] {
			out = append(out, id)
			return append(out, ids[i+2:]...)
		} else {
			out = append(out, ids[i])
		}
	}
}

// merged-from-the-right: in training, aaa becomes (a, aa) and not (aa, a)
//
// Why: Both are possible; everybody has to do the same, in training and in encoding.
//
// Hint: From left to right.
func joined(ids []int, p [2]int, id int) []int {
	var out []int
	for i := len(ids) - 1; i >= 0; i-- {
		if i > 0 && ids[i-1] == p[0] && ids[i] == p[1] {
			out = append([]int{id}, out...)
			i--
		} else {
			out = append([]int{ids[i]}, out...)
		}
	}
	return out
}

// special-counted: special tokens are counted like other text
//
// Why: They mark where texts end; in a text of many documents "<|end|>" would be one of the first
// words that are learnt, with all of its pieces.
//
// Hint: Cut them out before you count.
func (*learner) count() {
	if right {
		if id < 0 {
			times[string(piece)]++
		}
	} else {
		times[string(piece)]++
	}
}

// special-not-cut-out: the text is not cut at special tokens while it is learnt from
//
// Why: They are then counted in pieces, and what stands before and behind them in one pre-token.
//
// Hint: Cut the text as Encode does.
func Train() {
	if right {
		if err := l.count(r, &cutOut); err != nil {
			return nil, err
		}
	} else {
		if err := l.count(r, &specials{}); err != nil {
			return nil, err
		}
	}
}

// across-pretokens: pairs are counted and merged across pre-tokens
//
// Why: "the ferry" would become a token, and "the river" another; the vocabulary would fill with
// pieces of sentences.
//
// Hint: Count and merge inside of one pre-token only.
func (*learner) count() {
	if right {
		times := map[string]int{}
	} else {
		times, all := map[string]int{}, []byte{}
	}
	if right {
		times[string(piece)]++
	} else {
		all = append(all, piece...)
	}
	if right {
		touched := map[[2]int]bool{}
	} else {
		times[string(all)] = 1
		touched := map[[2]int]bool{}
	}
}

// special-on-top: the special tokens come on top of vocabSize
//
// Why: vocabSize is the number of rows of the embedding: every id has to be below it.
//
// Hint: Stop when the bytes, what was learnt and the special tokens are vocabSize.
func Train() {
	if right {
		for len(l.vocab)+len(special) < vocabSize && l.learn() {
		}
	} else {
		for len(l.vocab) < vocabSize && l.learn() {
		}
	}
}

// one-too-many: one token more than vocabSize is learnt
//
// Why: The last id is then V, one beyond the embedding's last row.
//
// Hint: Learn as long as there are fewer than vocabSize tokens.
func Train() {
	if right {
		for len(l.vocab)+len(special) < vocabSize && l.learn() {
		}
	} else {
		for len(l.vocab)+len(special) <= vocabSize && l.learn() {
		}
	}
}

// special-first: the special tokens are counted from behind
//
// Why: They have the last ids in the order in which they are given.
//
// Hint: Append them to the vocabulary one after the other.
func Train() {
	if right {
		for _, s := range special {
			ids = append(ids, len(l.vocab))
			l.vocab = append(l.vocab, []byte(s))
		}
	} else {
		for i := range special {
			ids = append(ids, len(l.vocab))
			l.vocab = append(l.vocab, []byte(special[len(special)-1-i]))
		}
	}
}

// rare-pairs-left: pairs that occur once only are not merged
//
// Why: Some programs stop there, with good reasons. Here the vocabulary has the size that was asked
// for, as long as there is any pair.
//
// Hint: Learn until the vocabulary is full or no pair is left.
func (*learner) offer() {
	if right {
		if n := l.counts[p]; n > 0 {
			l.queue.push(candidate{n, p, l.vocab[p[0]], l.vocab[p[1]]})
		}
	} else {
		if n := l.counts[p]; n > 1 {
			l.queue.push(candidate{n, p, l.vocab[p[0]], l.vocab[p[1]]})
		}
	}
}

// stale-queue: a count that has changed since its pair was put into the queue is not noticed
//
// Why: A merge takes away pairs of its neighbours. Whoever trusts the count in the queue merges what
// was frequent once.
//
// Hint: Compare the count in the queue with the one that is true now, and drop the pair if they
// differ.
func (*learner) learn() {
	if right {
		if best.count != l.counts[best.pair] {
			continue
		}
	} else {
		if l.counts[best.pair] <= 0 {
			continue
		}
	}
}

// everything-again: every merge counts all words again
//
// Why: The result is right, and the time is that of the whole text for each of the merges: hours for
// a real one.
//
// Hint: A merge changes the counts of the words that hold its pair. Keep for every pair in which
// words it is.
func (*learner) replace() {
	if right {
		words, touched := l.where[p], map[[2]int]bool{}
	} else {
		words, touched := map[int]bool{}, map[[2]int]bool{}
		for word := range l.words {
			words[word] = true
		}
	}
}

// everything-again/from-the-words: every merge counts the pairs of all words from nothing
func (l *learner) learn() bool {
	counts := map[[2]int]int{}
	for _, w := range l.words {
		for i := 1; i < len(w.ids); i++ {
			counts[[2]int{w.ids[i-1], w.ids[i]}] += w.times
		}
	}
	var best candidate
	for p, n := range counts {
		if c := (candidate{n, p, l.vocab[p[0]], l.vocab[p[1]]}); best.count == 0 || c.before(best) {
			best = c
		}
	}
	if best.count == 0 {
		return false
	}
	id := len(l.vocab)
	l.merges = append(l.merges, best.pair)
	l.vocab = append(l.vocab, bytes.Join([][]byte{best.left, best.right}, nil))
	for i := range l.words {
		l.words[i].ids = joined(l.words[i].ids, best.pair, id)
	}
	return true
}

// everything-again/in-a-table: every merge counts the pairs of all words from nothing, in a table of all pairs of tokens
func (l *learner) learn() bool {
	n := len(l.vocab)
	table := make([]int, n*n)
	for _, w := range l.words {
		for i := 1; i < len(w.ids); i++ {
			table[w.ids[i-1]*n+w.ids[i]] += w.times
		}
	}
	var best candidate
	for i, count := range table {
		if count == 0 || count < best.count {
			continue
		}
		if c := (candidate{count, [2]int{i / n, i % n}, l.vocab[i/n], l.vocab[i%n]}); best.count == 0 || c.before(best) {
			best = c
		}
	}
	if best.count == 0 {
		return false
	}
	l.merges = append(l.merges, best.pair)
	l.vocab = append(l.vocab, bytes.Join([][]byte{best.left, best.right}, nil))
	for i := range l.words {
		l.words[i].ids = joined(l.words[i].ids, best.pair, n)
	}
	return true
}

// small-vocabulary-allowed: a vocabulary without room for the bytes is not refused
//
// Why: Without all 256 bytes there are texts that have no tokens.
//
// Hint: vocabSize is at least 256 and the number of special tokens.
func Train() {
	if right {
		if vocabSize < 256+len(special) {
			return nil, fmt.Errorf("bpe: a vocabulary of %d tokens has no room for 256 bytes and %d special tokens", vocabSize, len(special))
		}
	} else {
	}
}

// small-vocabulary-allowed/special-forgotten: a vocabulary without room for the bytes and the special tokens is not refused
func Train() {
	if right {
		if vocabSize < 256+len(special) {
			return nil, fmt.Errorf("bpe: a vocabulary of %d tokens has no room for 256 bytes and %d special tokens", vocabSize, len(special))
		}
	} else {
		if vocabSize < 256 {
			return nil, fmt.Errorf("bpe: a vocabulary of %d tokens has no room for 256 bytes and %d special tokens", vocabSize, len(special))
		}
	}
}

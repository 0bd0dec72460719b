package quiz

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/reference/wire"
)

// draws14 are those of step 14.
func draws14() map[string]func(*draw) {
	return map[string]func(*draw){
		"bpe.learn":    bpeLearn,
		"bpe.encode":   bpeEncode,
		"pretoken.cut": preTokenCut,
		"bpe.price":    bpePrice,
	}
}

// bytesOf returns a text for the oracle.
func bytesOf(text string) wire.Value {
	v := wire.Ints([]int64{}, len(text))
	for _, b := range []byte(text) {
		v.I64 = append(v.I64, int64(b))
	}
	return v
}

// letters draws n different letters, of which none looks like a digit or another one.
func (d *draw) letters(n int) []string {
	from := strings.Split("abcdefghkmnoprstuwy", "")
	d.rng.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	return from[:n]
}

// tally is a word of tokens and how often a text has it.
type tally struct {
	tokens []string
	times  int
}

// highest returns the pairs of the words with the highest count, the greatest first, and that
// count.
func highest(words []tally) (best [][2]string, count int) {
	counts := map[[2]string]int{}
	for _, w := range words {
		for i := 1; i < len(w.tokens); i++ {
			counts[[2]string{w.tokens[i-1], w.tokens[i]}] += w.times
		}
	}
	for _, n := range counts {
		count = max(count, n)
	}
	for pair, n := range counts {
		if n == count {
			best = append(best, pair)
		}
	}
	slices.SortFunc(best, func(a, b [2]string) int {
		if a[0] != b[0] {
			return bytes.Compare([]byte(b[0]), []byte(a[0]))
		}
		return bytes.Compare([]byte(b[1]), []byte(a[1]))
	})
	return best, count
}

// glued puts the two tokens of a pair together wherever they stand, from the left.
func glued(tokens []string, pair [2]string) []string {
	var out []string
	for i := 0; i < len(tokens); i++ {
		if i+1 < len(tokens) && tokens[i] == pair[0] && tokens[i+1] == pair[1] {
			out = append(out, pair[0]+pair[1])
			i++
		} else {
			out = append(out, tokens[i])
		}
	}
	return out
}

func pairText(p [2]string) string { return "(" + p[0] + ", " + p[1] + ")" }

func spelt(tokens []string) string { return strings.Join(tokens, "·") }

// numbered returns ids of tokens, bytes and then what was made, in its order.
func numbered(tokens, made []string) []float64 {
	var ids []float64
	for _, t := range tokens {
		if len(t) == 1 {
			ids = append(ids, float64(t[0]))
		} else {
			ids = append(ids, float64(256+slices.Index(made, t)))
		}
	}
	return ids
}

// bpeLearn draws a text of four words, and learns four merges, of which at least one is a tie.
func bpeLearn(d *draw) {
	for {
		l := d.letters(5)
		x, y, z, w, s := l[0], l[1], l[2], l[3], l[4]
		words := []tally{{[]string{x, y, z}, d.int(2, 6)}, {[]string{w, y, z}, d.int(2, 6)}, {[]string{x, y, z, s}, d.int(2, 6)}, {[]string{x, y}, d.int(2, 6)}}
		var list, text, first []string
		before := 0
		for _, word := range words {
			name := strings.Join(word.tokens, "")
			list = append(list, fmt.Sprintf("%s %d times", name, word.times))
			text = append(text, strings.Repeat(name+"\n", word.times))
			first = append(first, spelt(word.tokens))
			before += word.times * len(word.tokens)
		}
		var made, ties []string
		table := []string{fmt.Sprintf("%-32s%s", "at first", strings.Join(first, "  "))}
		var merges [][]float64
		sum, tied := 0, 0
		fit := true
		for rank := range 4 {
			best, count := highest(words)
			fit = fit && count > 0 && len(best) <= 2
			if !fit {
				break
			}
			if len(best) > 1 {
				fit = rank < 3 // the last merge may be a tie in every such text
				ties = append(ties, fmt.Sprintf("merge %d is a tie, %s and %s", rank, pairText(best[0]), pairText(best[1])))
				tied++
			}
			merges = append(merges, numbered(best[0][:], made))
			made = append(made, best[0][0]+best[0][1])
			sum += count
			var now []string
			for i := range words {
				words[i].tokens = glued(words[i].tokens, best[0])
				now = append(now, spelt(words[i].tokens))
			}
			d.set(fmt.Sprint("pair", rank), pairText(best[0]))
			d.set(fmt.Sprint("count", rank), count)
			table = append(table, fmt.Sprintf("merge %d  %-10s %2d times    %s", rank, pairText(best[0]), count, strings.Join(now, "  ")))
		}
		if !fit || tied != 1 {
			continue
		}
		after := 0
		for _, word := range words {
			after += word.times * len(word.tokens)
		}
		out := d.ask("bpe.train", wire.Values{"text": bytesOf(strings.Join(text, "")), "vocab_size": wire.Int(260),
			"special": bytesOf(""), "special_lengths": wire.Ints([]int64{}, 0)})
		d.set("list", strings.Join(list, ", "))
		d.set("table", strings.Join(table, "\n"))
		d.set("tie", ties[0])
		d.set("before", before)
		d.set("sum", sum)
		d.answer("merges", merges, reals(out["merges"]))
		d.answer("after", before-sum, []float64{float64(after)}) // no pair is of two equal tokens
		return
	}
}

// bpeEncode draws five merges over three letters and a word that the longest matches from the
// left cut in another way.
func bpeEncode(d *draw) {
	for {
		tokens := d.letters(3)
		var made []string
		var merges [][2]string
		for len(merges) < 5 {
			p := [2]string{tokens[d.rng.IntN(len(tokens))], tokens[d.rng.IntN(len(tokens))]}
			if p[0] == p[1] || len(p[0]+p[1]) > 4 || slices.Contains(tokens, p[0]+p[1]) {
				continue
			}
			merges, made, tokens = append(merges, p), append(made, p[0]+p[1]), append(tokens, p[0]+p[1])
		}
		var word []string
		for range 8 {
			word = append(word, tokens[d.rng.IntN(3)])
		}
		left, steps := slices.Clone(word), []string{}
		for rank, p := range merges { // all places of a rank at once
			if next := glued(left, p); len(next) < len(left) {
				left = next
				steps = append(steps, fmt.Sprintf("merge %d: %s", rank, spelt(left)))
			}
		}
		var longest []string
		for at := 0; at < 8; at += len(longest[len(longest)-1]) {
			best := word[at]
			for _, t := range made {
				if len(t) > len(best) && strings.HasPrefix(strings.Join(word[at:], ""), t) {
					best = t
				}
			}
			longest = append(longest, best)
		}
		cut := append(append(slices.Clone(word[:4]), "\xc3", "\xa9"), word[4:]...) // é between the halves
		foreign := slices.Clone(cut)
		for _, p := range merges {
			foreign = glued(foreign, p)
		}
		if len(steps) < 3 || len(left) < 3 || spelt(longest) == spelt(left) || len(foreign) == len(left)+2 || len(foreign) > 8 {
			continue
		}

		vocab, lengths := make([]byte, 256), wire.Ints([]int64{}, 261)
		for b := range vocab {
			vocab[b] = byte(b)
			lengths.I64 = append(lengths.I64, 1)
		}
		pairs, ids := []string{}, wire.Ints([]int64{}, 5, 2)
		for rank, p := range merges {
			vocab = append(vocab, made[rank]...)
			lengths.I64 = append(lengths.I64, int64(len(made[rank])))
			for _, id := range numbered(p[:], made) {
				ids.I64 = append(ids.I64, int64(id))
			}
			pairs = append(pairs, fmt.Sprintf("%d  %s", rank, pairText(p)))
		}
		encode := func(text []string) []float64 {
			return reals(d.ask("bpe.encode", wire.Values{"text": bytesOf(strings.Join(text, "")), "vocab": bytesOf(string(vocab)),
				"vocab_lengths": lengths, "merges": ids, "special_ids": wire.Ints([]int64{}, 0)})["ids"])
		}
		d.set("merges", strings.Join(pairs, "\n"))
		d.set("word", strings.Join(word, ""))
		d.set("foreign", strings.Join(cut, ""))
		d.set("steps", strings.Join(steps, "\n"))
		d.set("tokens", spelt(left))
		d.set("n", len(left))
		d.set("longest", spelt(longest))
		d.set("m", len(longest))
		var byteNames []string
		for _, t := range foreign {
			switch t {
			case "\xc3":
				t = "195"
			case "\xa9":
				t = "169"
			}
			byteNames = append(byteNames, t)
		}
		d.set("split", spelt(byteNames))
		letters := slices.Compact(slices.Sorted(slices.Values(word)))
		var codes []string
		for _, l := range letters {
			codes = append(codes, fmt.Sprintf("%s is %d", l, l[0]))
		}
		d.set("codes", strings.Join(codes, ", "))
		d.answer("ids", numbered(left, made), encode(word))
		d.answer("other", numbered(foreign, made), encode(cut))
		return
	}
}

// preTokenCut puts a text together from pieces whose cuts are known.
func preTokenCut(d *draw) {
	choose := func(from ...string) string { return from[d.rng.IntN(len(from))] }
	visible := func(s string) string { return strings.NewReplacer(" ", "␣", "\n", "⏎").Replace(s) }
	var pieces, others []string
	add := func(more ...string) { pieces = append(pieces, more...) }
	differs := func(with ...string) { // what the same bytes would be without the look-ahead
		for i := range with {
			with[i] = "`" + visible(with[i]) + "`"
		}
		others = append(others, strings.Join(with, " "))
	}

	add(choose("I", "you", "they", "we"), choose("'ve", "'ll", "'d"))
	gap := strings.Repeat(" ", d.int(2, 4))
	count, unit := choose("7", "12", "25", "40", "365"), choose("km", "kg", "ml")
	add(gap[1:], " "+count, unit)
	differs(gap, count)
	add(choose(",", ";", ":"))
	add(" "+choose("CAN", "DON", "WON"), "'", "T")
	lines := strings.Repeat("\n", d.int(2, 3))
	word := choose("go", "then", "now")
	if d.int(0, 1) == 0 {
		add(lines, " "+word)
		differs(lines+" ", word)
	} else {
		add(lines[1:], "\n", word)
		differs(lines, word)
	}
	if d.int(0, 1) == 0 {
		add(" " + choose("2½", "3¼", "1¾"))
	} else {
		add(" "+choose("x", "r", "t"), choose("²", "³"))
	}
	add(choose("!?", "...", "?!"), strings.Repeat(" ", d.int(1, 3)))

	text, lengths, names := strings.Join(pieces, ""), []float64{}, []string{}
	for _, p := range pieces {
		lengths = append(lengths, float64(len(p)))
		names = append(names, "`"+visible(p)+"`")
	}
	d.set("text", visible(text))
	d.set("cut", strings.Join(names, " "))
	d.set("n", len(pieces))
	d.set("other", strings.Join(others, ", and "))
	d.set("bytes", len(text))
	d.answer("lengths", lengths, reals(d.ask("pretokens", wire.Values{"text": bytesOf(text)})["lengths"]))
}

// bpePrice draws two models of the same text, one that reads bytes and one that reads tokens.
func bpePrice(d *draw) {
	size, r, context := 1000*d.int(1, 4), d.int(3, 5), 64*d.int(2, 8)
	a := float64(d.int(8, 16)) / 10 // nats a byte
	b := float64(d.int(24, 60)) / 10
	for math.Abs(b/float64(r)-a) < 0.15 || b < a {
		b = float64(d.int(24, 60)) / 10
	}
	dim, total := 100*d.int(1, 4), 1200.0 // bytes, of which there are 1200/r tokens
	d.set("V", size)
	d.set("r", r)
	d.set("T", context)
	d.set("D", dim)
	d.set("a", a)
	d.set("b", b)
	d.set("perByte", b/float64(r))
	d.set("pa", math.Exp(a))
	d.set("pb", math.Exp(b))
	d.set("better", map[bool]string{true: "tokens", false: "bytes"}[b/float64(r) < a])
	d.set("span", r*context)
	d.set("r2", r*r)
	d.set("rows", 2*(size-256)*dim)
	d.set("guess", math.Log(256))
	d.answer("bitsA", a/math.Ln2, []float64{total * math.Log2(math.Exp(a)) / total})
	d.answer("bitsB", b/float64(r)/math.Ln2, []float64{total / float64(r) * math.Log2(math.Exp(b)) / total})
}

package bpe

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// drawing draws what a function is asked. Some need to learn a vocabulary for it.
type drawing func(e *course.Exam) (wire.Values, error)

// agrees checks a function on the stored fixtures and on a fresh case: what is stored can
// be learnt by heart.
func agrees(function string, draw drawing) func(*course.Exam) error {
	return course.All(course.Agrees(function), fresh(function, draw))
}

// fresh checks a function on fresh cases of each kind.
func fresh(function string, draws ...drawing) func(*course.Exam) error {
	return func(e *course.Exam) error {
		for range course.FreshCases {
			for _, draw := range draws {
				in, err := draw(e)
				if err != nil {
					return err
				}
				if err := e.Against(function, in, nil); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// once checks a function on one fresh case of each kind.
func once(function string, draws ...drawing) func(*course.Exam) error {
	return func(e *course.Exam) error {
		return course.InTurn(len(draws), func(i int) error {
			in, err := draws[i](e)
			if err != nil {
				return err
			}
			return e.Against(function, in, nil)
		})
	}
}

// fragments are what texts are made of.
func fragments() []string {
	return strings.Split("the|The|river|don't|DON'T|we'll|I'm|'re|'ve |'S|it's |x'd|’s|'|''|é|ß|Việt|tiếng|e\u0301|"+
		"សួស្តី|ទន្លេ|៧|你好|世界|，|🙂|👩‍👧|🇰🇭|1|22|345|½|²|Ⅷ|٣|.|,|...|!?|##|# |-|_|(|\"| |  |   | |\t|\n|\n\n|\r\n|\u00a0|\u3000|\u2003\u2003|"+
		"\u200b|a|aa|aaa|aaaa|ab|ba|abab|b|\x00|\xff|\xc3|\xe2\x82|\xf0\x9f\x98|\x80|\xa0|\xed\xa0\x80|\xc0\xaf| \u1680|\x85|\u0085", "|")
}

// someText draws a text of n fragments, of which a part comes again and again.
func someText(rng *rand.Rand, n int) string {
	all := fragments()
	favourites := make([]string, 8)
	for i := range favourites {
		favourites[i] = all[rng.IntN(len(all))] + all[rng.IntN(len(all))]
	}
	var text strings.Builder
	for range n {
		switch rng.IntN(4) {
		case 0:
			text.WriteString(" ")
		case 1:
			text.WriteString(favourites[rng.IntN(len(favourites))])
		default:
			text.WriteString(all[rng.IntN(len(all))])
		}
	}
	return text.String()
}

func drawText(e *course.Exam) (wire.Values, error) {
	return wire.Values{"text": ofBytes(someText(e.Rng, course.Between(e.Rng, 60, 200)))}, nil
}

// drawBytes draws bytes at random, of which many are no UTF-8.
func drawBytes(e *course.Exam) (wire.Values, error) {
	return wire.Values{"text": course.IDs(e.Rng, 256, course.Between(e.Rng, 150, 400))}, nil
}

// someSpecial draws special tokens, some of which others begin with.
func someSpecial(rng *rand.Rand) []string {
	all := []string{"<|end|>", "<|end", "|end|>", "<|e|>", "[x]", "(.*)", "the river", "  ", "🙂"}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:rng.IntN(4)]
}

// sprinkled is a text with special tokens in it.
func sprinkled(rng *rand.Rand, special []string, parts int) string {
	var text strings.Builder
	for range parts {
		text.WriteString(someText(rng, course.Between(rng, 5, 40)))
		if len(special) > 0 {
			text.WriteString(special[rng.IntN(len(special))])
		}
	}
	return text.String()
}

func drawTraining(e *course.Exam) (wire.Values, error) {
	special := someSpecial(e.Rng)
	in := wire.Values{"text": ofBytes(sprinkled(e.Rng, special, 8)), "vocab_size": wire.Int(256 + len(special) + course.Between(e.Rng, 20, 60))}
	in["special"], in["special_lengths"] = joined(special)
	return in, nil
}

// drawTies draws a training in which most pairs occur as often as others.
func drawTies(e *course.Exam) (wire.Values, error) {
	var text strings.Builder
	for range 30 {
		for range course.Between(e.Rng, 2, 5) {
			text.WriteByte("abyz~\x01\x7f\x80\xc3\xa9\xfe"[e.Rng.IntN(11)])
		}
		text.WriteByte(' ')
	}
	in := wire.Values{"text": ofBytes(text.String()), "vocab_size": wire.Int(256 + course.Between(e.Rng, 30, 50))}
	in["special"], in["special_lengths"] = joined(nil)
	return in, nil
}

// drawVocabulary learns a vocabulary and gives its tokens other ids.
func drawVocabulary(e *course.Exam) (vocab wire.Values, special []string, err error) {
	in, err := drawTraining(e)
	if err != nil {
		return nil, nil, err
	}
	learnt, err := e.Solve("bpe.train")(in)
	if err != nil {
		return nil, nil, err
	}
	return shuffled(e.Rng, learnt), split(in["special"], in["special_lengths"]), nil
}

// shuffled returns a vocabulary with other ids. A special token, if there is one, has the
// id 0: what is no special token must be told apart by something else.
func shuffled(rng *rand.Rand, in wire.Values) wire.Values {
	tokens := split(in["vocab"], in["vocab_lengths"])
	moved := rng.Perm(len(tokens))
	if special := in["special_ids"].I64; len(special) > 0 {
		at := slices.Index(moved, 0)
		moved[at], moved[special[0]] = moved[special[0]], 0
	}
	other := make([]string, len(tokens))
	for id, token := range tokens {
		other[moved[id]] = token
	}
	out := wire.Values{}
	out["vocab"], out["vocab_lengths"] = joined(other)
	for _, name := range []string{"merges", "special_ids"} {
		v := in[name]
		v.I64 = slices.Clone(v.I64)
		for i, id := range v.I64 {
			v.I64[i] = int64(moved[id])
		}
		out[name] = v
	}
	return out
}

func drawEncoding(e *course.Exam) (wire.Values, error) {
	in, special, err := drawVocabulary(e)
	if err != nil {
		return nil, err
	}
	in["text"] = ofBytes(sprinkled(e.Rng, special, 5))
	return in, nil
}

// drawReading draws a text longer than a page or two, in small pieces.
func drawReading(e *course.Exam) (wire.Values, error) {
	in, special, err := drawVocabulary(e)
	if err != nil {
		return nil, err
	}
	in["text"] = ofBytes(sprinkled(e.Rng, special, 4) + strings.Repeat(" ", e.Rng.IntN(90)) + strings.Repeat("ab", e.Rng.IntN(90)) + sprinkled(e.Rng, special, 3))
	in["chunks"] = course.IDs(e.Rng, 9, 5)
	in["chunks"].I64[0] = 1 // one of them at least is not 0
	return in, nil
}

func drawDecoding(e *course.Exam) (wire.Values, error) {
	in, _, err := drawVocabulary(e)
	if err != nil {
		return nil, err
	}
	in["ids"] = course.IDs(e.Rng, in["vocab_lengths"].Len(), course.Between(e.Rng, 50, 150))
	return in, nil
}

func drawRoundTrip(e *course.Exam) (wire.Values, error) {
	in, err := drawTraining(e)
	if err != nil {
		return nil, err
	}
	special := split(in["special"], in["special_lengths"])
	in["learnt"], in["text"] = in["text"], ofBytes(sprinkled(e.Rng, special, 5))
	if e.Rng.IntN(2) == 0 {
		in["text"] = course.IDs(e.Rng, 256, course.Between(e.Rng, 150, 400))
	}
	return in, nil
}

// drawFiles draws a vocabulary and writes its files.
func drawFiles(e *course.Exam) (wire.Values, error) {
	t, special, err := drawVocabulary(e)
	if err != nil {
		return nil, err
	}
	names := namesOf(t)
	object := map[string]int{}
	for id, name := range names {
		object[name] = id
	}
	vocab, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	lines := []string{}
	if e.Rng.IntN(2) == 0 {
		lines = append(lines, "#version: 0.2")
	}
	for i := 0; i < len(t["merges"].I64); i += 2 {
		lines = append(lines, names[t["merges"].I64[i]]+" "+names[t["merges"].I64[i+1]])
	}
	in := wire.Values{"vocab_file": ofBytes(string(vocab)), "merges_file": ofBytes(strings.Join(lines, "\n"))}
	in["special"], in["special_lengths"] = joined(special)
	return in, nil
}

// namesOf returns how the tokens of a vocabulary are written in its file.
func namesOf(t wire.Values) []string {
	var names []string
	for id, token := range split(t["vocab"], t["vocab_lengths"]) {
		if slices.Contains(t["special_ids"].I64, int64(id)) {
			names = append(names, token)
			continue
		}
		name := ""
		for _, b := range []byte(token) {
			name += character(b)
		}
		names = append(names, name)
	}
	return names
}

// character is how a byte is written in GPT-2's files.
func character(b byte) string {
	r := rune(b)
	switch {
	case r <= ' ':
		r += 256
	case r >= 0x7f && r <= 0xa0:
		r += 256 + 33 - 0x7f
	case r == 0xad:
		r = 323
	}
	return string(r)
}

func ofBytes(text string) wire.Value {
	v := wire.Ints(make([]int64, len(text)), len(text))
	for i := range len(text) {
		v.I64[i] = int64(text[i])
	}
	return v
}

// joined returns byte strings as one array, and their lengths.
func joined(parts []string) (data, lengths wire.Value) {
	lengths = wire.Ints([]int64{}, len(parts))
	for _, p := range parts {
		lengths.I64 = append(lengths.I64, int64(len(p)))
	}
	return ofBytes(strings.Join(parts, "")), lengths
}

// split returns the byte strings that joined made one array of. It panics if they do not
// make it up: what comes of a subject is not split.
func split(data, lengths wire.Value) []string {
	var parts []string
	at := int64(0)
	for _, n := range lengths.I64 {
		var text strings.Builder
		for _, b := range data.I64[at : at+n] {
			text.WriteByte(byte(b))
		}
		parts, at = append(parts, text.String()), at+n
	}
	if at != int64(data.Len()) {
		panic(fmt.Sprintf("bpe: lengths of %d bytes for %d", at, data.Len()))
	}
	return parts
}

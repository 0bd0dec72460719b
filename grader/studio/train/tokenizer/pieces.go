package tokenizer

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/lang"
)

// A tokenizer.bin of llama2.c is
//
//	int32                      the length of the longest piece
//	for each token             float32 score, int32 length, that many bytes
//
// all little-endian. Token 0 is unknown, 1 begins a text and 2 ends it; token
// 3+b stands for the byte b alone, so that every text can be written; all
// others are pieces of text. See tokenizer.py and run.c in
// github.com/karpathy/llama2.c.
const (
	FirstByte  = 3 // the token of the byte 0; those of the other bytes follow
	begin      = 1
	bytesEnd   = FirstByte + 256
	pieceLimit = 1 << 16 // bytes
)

// Pieces is the tokenizer of a llama2.c model: byte-pair encoding.
type Pieces struct {
	pieces []string
	scores []float32
	ids    map[string]int
}

// ReadPieces reads a tokenizer.bin of vocab tokens.
func ReadPieces(r io.Reader, vocab int) (*Pieces, error) {
	if vocab < bytesEnd {
		return nil, lang.Errorf("a llama2.c tokenizer has at least %d tokens; the model has %d", bytesEnd, vocab)
	}
	b := bufio.NewReader(r)
	var longest int32
	if err := binary.Read(b, binary.LittleEndian, &longest); err != nil {
		return nil, lang.Errorf("too short for a llama2.c tokenizer")
	}
	if longest <= 0 || longest > pieceLimit {
		return nil, lang.Errorf("says that its longest token has %d bytes: not a llama2.c tokenizer", longest)
	}
	p := &Pieces{ids: map[string]int{}}
	for id := range vocab {
		piece, score, err := readPiece(b, longest)
		if err != nil {
			return nil, lang.Errorf("token %d of %d: %w", id, vocab, err)
		}
		p.pieces, p.scores = append(p.pieces, piece), append(p.scores, score)
		if _, twice := p.ids[piece]; !twice {
			p.ids[piece] = id
		}
	}
	if _, err := b.ReadByte(); err != io.EOF {
		return nil, lang.Errorf("goes on after %d tokens, which is what the model has", vocab)
	}
	return p, nil
}

func readPiece(r io.Reader, longest int32) (string, float32, error) {
	var head struct {
		Score  float32
		Length int32
	}
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return "", 0, lang.Errorf("the file ends before it")
	}
	if head.Length < 0 || head.Length > longest || math.IsNaN(float64(head.Score)) {
		return "", 0, lang.Errorf("has %d bytes and the score %g; want at most %d bytes: damaged, or not a llama2.c tokenizer",
			head.Length, head.Score, longest)
	}
	piece := make([]byte, head.Length)
	if _, err := io.ReadFull(r, piece); err != nil {
		return "", 0, lang.Errorf("the file ends inside it")
	}
	return string(piece), head.Score, nil
}

// VocabSize returns the number of tokens.
func (p *Pieces) VocabSize() int { return len(p.pieces) }

// Piece returns the text of a token, and its score.
func (p *Pieces) Piece(id int) (string, float32) { return p.pieces[id], p.scores[id] }

// Stop is the token that begins a text: where it comes, the next text begins.
func (p *Pieces) Stop() int { return begin }

// Prompt returns the token that begins a text and then the tokens of text:
// first every character alone, or its bytes if it is no piece; then, as long as
// two neighbours make a piece together, the two that make the one with the best
// score, the leftmost of equals, become one. A text is read as if a space came
// first. It returns no error.
func (p *Pieces) Prompt(text string) ([]int, error) {
	ids := []int{begin}
	if text == "" {
		return ids, nil
	}
	for rest := " " + text; rest != ""; {
		_, size := utf8.DecodeRuneInString(rest)
		if id, ok := p.ids[rest[:size]]; ok {
			ids = append(ids, id)
		} else {
			for _, b := range []byte(rest[:size]) {
				ids = append(ids, FirstByte+int(b))
			}
		}
		rest = rest[size:]
	}
	return merge(ids, p.scores, p.joined), nil
}

// joined returns the token that two neighbours make together, if there is one.
func (p *Pieces) joined(left, right int) (int, bool) {
	id, ok := p.ids[p.pieces[left]+p.pieces[right]]
	return id, ok
}

// Decode returns the text of ids. The space with which a text begins is left
// out, and the tokens that are no text give nothing.
func (p *Pieces) Decode(ids []int) (string, error) {
	var out strings.Builder
	for i, id := range ids {
		switch {
		case id < 0 || id >= len(p.pieces):
			return "", lang.Errorf("token %d at position %d is outside the vocabulary of %d", id, i, len(p.pieces))
		case id >= bytesEnd && i > 0 && ids[i-1] == begin:
			out.WriteString(strings.TrimPrefix(p.pieces[id], " "))
		case id >= bytesEnd:
			out.WriteString(p.pieces[id])
		case id >= FirstByte:
			out.WriteByte(byte(id - FirstByte))
		}
	}
	return out.String(), nil
}

package weights

import (
	"bufio"
	"encoding/binary"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/tensor"
)

// A llama2.c checkpoint of version 0 is
//
//	7 int32    dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size, seq_len
//	float32    the tensors in the order of layout
//
// all little-endian. A negative vocab_size says that the output matrix is not
// the embedding but stands at the end. The two freq_cis tables are what RoPE
// needs; like llama2.c's own program this one works them out anew, with
// Θ = 10000, and skips them. See export.py and run.c in github.com/karpathy/llama2.c.

// Llama2c is the header of a llama2.c checkpoint.
type Llama2c struct {
	Dim, HiddenDim, Layers, Heads, KVHeads, Vocab, SeqLen int
	Shared                                                bool // the output matrix is the embedding
}

// Llama2cTheta is the base of RoPE's angles in llama2.c.
const Llama2cTheta = 10000

const (
	llama2cWords = 7          // of the header
	llama2cMagic = 0x616b3432 // "ak42", what later versions begin with
)

// ReadLlama2c reads a version-0 checkpoint of the given size and returns its
// header and the tensors under the names of the course. It refuses files of later
// versions, and files that are too short or too long.
func ReadLlama2c(r io.Reader, size int64) (Llama2c, map[string]*tensor.Tensor, error) {
	h, err := readLlama2cHeader(r, size)
	if err != nil {
		return h, nil, err
	}
	state := map[string]*tensor.Tensor{}
	buffered := bufio.NewReaderSize(r, 4*chunk)
	for _, part := range h.layout() {
		for layer := range part.layers {
			t := tensor.New(part.shape...)
			if err := F32.read(buffered, t.Data); err != nil {
				return h, nil, lang.Errorf("%s: %w", part.name, err)
			}
			if part.name != "" {
				state[strings.Replace(part.name, "N", strconv.Itoa(layer), 1)] = t
			}
		}
	}
	if h.Shared {
		state[head] = state[embedding]
	}
	return h, state, nil
}

// readLlama2cHeader reads the header and checks it against the file's size.
func readLlama2cHeader(r io.Reader, size int64) (Llama2c, error) {
	var words [llama2cWords]int32
	if size < 4*llama2cWords {
		return Llama2c{}, lang.Errorf("%d bytes are too few for a llama2.c checkpoint", size)
	}
	if err := binary.Read(r, binary.LittleEndian, &words); err != nil {
		return Llama2c{}, err
	}
	if uint32(words[0]) == llama2cMagic {
		return Llama2c{}, lang.Errorf("this is a llama2.c checkpoint of version %d; only version 0 is read "+
			"(export.py --version 0 writes it)", words[1])
	}
	h := Llama2c{Shared: words[5] > 0}
	words[5] = max(words[5], -words[5])
	for i, field := range []*int{&h.Dim, &h.HiddenDim, &h.Layers, &h.Heads, &h.KVHeads, &h.Vocab, &h.SeqLen} {
		const limit = 1 << 24 // far above any model, far below an overflow
		if words[i] <= 0 || words[i] > limit {
			return h, lang.Errorf("the header says %v (dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size, seq_len), "+
				"which no model has: not a llama2.c checkpoint", words)
		}
		*field = int(words[i])
	}
	switch {
	case h.Dim%(2*h.Heads) != 0:
		return h, lang.Errorf("dim %d does not divide into %d heads of an even size", h.Dim, h.Heads)
	case h.Heads%h.KVHeads != 0:
		return h, lang.Errorf("the model has %d heads and %d key and value heads, which do not divide them into groups", h.Heads, h.KVHeads)
	}
	want, ok := h.size()
	switch {
	case !ok:
		return h, lang.Errorf("the header %v describes a model that is larger than any file", words)
	case size < want:
		return h, lang.Errorf("the file has %d bytes, but a model with the header %v has %d: truncated", size, words, want)
	case size > want:
		return h, lang.Errorf("the file has %d bytes, but a model with the header %v has only %d: "+
			"damaged, or not version 0", size, words, want)
	}
	return h, nil
}

const (
	embedding = "token_embeddings.weight"
	head      = "lm_head.weight"
)

// llama2cPart is a run of equally shaped tensors, one for each layer or one in
// all; without a name they are skipped.
type llama2cPart struct {
	name   string // N stands for the number of the layer
	layers int
	shape  []int
}

// layout lists what the file holds after its header, in order.
func (h Llama2c) layout() []llama2cPart {
	d, f, l := h.Dim, h.HiddenDim, h.Layers
	e := d / h.Heads * h.KVHeads
	parts := []llama2cPart{
		{embedding, 1, []int{h.Vocab, d}},
		{"layers.N.ln1.weight", l, []int{d}},
		{"layers.N.attn.q_proj.weight", l, []int{d, d}},
		{"layers.N.attn.k_proj.weight", l, []int{e, d}},
		{"layers.N.attn.v_proj.weight", l, []int{e, d}},
		{"layers.N.attn.output_proj.weight", l, []int{d, d}},
		{"layers.N.ln2.weight", l, []int{d}},
		{"layers.N.ffn.w1.weight", l, []int{f, d}},
		{"layers.N.ffn.w2.weight", l, []int{d, f}},
		{"layers.N.ffn.w3.weight", l, []int{f, d}},
		{"ln_final.weight", 1, []int{d}},
		{"", 2, []int{h.SeqLen, d / h.Heads / 2}}, // freq_cis_real and freq_cis_imag
	}
	if !h.Shared {
		parts = append(parts, llama2cPart{head, 1, []int{h.Vocab, d}})
	}
	return parts
}

// size returns how many bytes the file has, and whether the number exists.
func (h Llama2c) size() (bytes int64, ok bool) {
	total := uint64(4 * llama2cWords)
	for _, part := range h.layout() {
		n := uint64(4 * part.layers)
		for _, d := range part.shape {
			over, product := bits.Mul64(n, uint64(d))
			if over != 0 {
				return 0, false
			}
			n = product
		}
		sum, carry := bits.Add64(total, n, 0)
		if carry != 0 {
			return 0, false
		}
		total = sum
	}
	return int64(total), total < 1<<62
}

package oracle

import (
	"bytes"

	"github.com/stubformer/stubformer/reference/oracle/bpe"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	answer("pretokens", preTokens)
	answer("bpe.train", bpeTrain)
	answer("bpe.roundtrip", bpeRoundtrip)
	answer("bpe.encode", bpeEncode)
	answer("bpe.encode_reader", bpeEncode)
	answer("bpe.decode", bpeDecode)
	answer("bpe.read", bpeRead)
}

func preTokens(c *call) (wire.Values, error) {
	text, err := c.bytes("text")
	if err != nil {
		return nil, err
	}
	_, lengths := byteStrings(bpe.PreTokens(text))
	return wire.Values{"lengths": lengths}, nil
}

func bpeTrain(c *call) (wire.Values, error) {
	text, err := c.bytes("text")
	if err != nil {
		return nil, err
	}
	special, err := c.byteStrings("special")
	if err != nil {
		return nil, err
	}
	return vocabulary(bpe.Train(text, c.int("vocab_size"), special)), nil
}

func bpeRoundtrip(c *call) (wire.Values, error) {
	learnt, err := c.bytes("learnt")
	if err != nil {
		return nil, err
	}
	text, err := c.bytes("text")
	if err != nil {
		return nil, err
	}
	special, err := c.byteStrings("special")
	if err != nil {
		return nil, err
	}
	ids, err := bpe.Train(learnt, c.int("vocab_size"), special).Encode(text)
	return wire.Values{"ids": integers(ids), "text": byteArray(text)}, err
}

func bpeEncode(c *call) (wire.Values, error) {
	text, err := c.bytes("text")
	if err != nil {
		return nil, err
	}
	t, err := c.tokenizer()
	if err != nil {
		return nil, err
	}
	ids, err := t.Encode(text)
	if err != nil {
		return nil, c.refuse("vocab", "one with every byte and all that merges make: "+err.Error())
	}
	return wire.Values{"ids": integers(ids)}, nil
}

func bpeDecode(c *call) (wire.Values, error) {
	t, err := c.tokenizer()
	if err != nil {
		return nil, err
	}
	return wire.Values{"text": byteArray(t.Decode(c.indices("ids").Data))}, nil
}

func bpeRead(c *call) (wire.Values, error) {
	vocab, err := c.bytes("vocab_file")
	if err != nil {
		return nil, err
	}
	merges, err := c.bytes("merges_file")
	if err != nil {
		return nil, err
	}
	special, err := c.byteStrings("special")
	if err != nil {
		return nil, err
	}
	t, err := bpe.Read(vocab, merges, special)
	if err != nil {
		return nil, c.refuse("vocab_file", "the files of a tokenizer: "+err.Error())
	}
	return vocabulary(t), nil
}

// tokenizer returns the one that a call's arguments describe.
func (c *call) tokenizer() (t bpe.Tokenizer, err error) {
	if t.Vocab, err = c.byteStrings("vocab"); err != nil {
		return t, err
	}
	merges := c.indices("merges").Data
	for i := 0; i < len(merges); i += 2 {
		t.Merges = append(t.Merges, [2]int{merges[i], merges[i+1]})
	}
	t.Special = c.indices("special_ids").Data
	return t, nil
}

// bytes returns an argument of bytes.
func (c *call) bytes(name string) ([]byte, error) {
	data := make([]byte, c.in[name].Len())
	for i, n := range c.in[name].I64 {
		if n > 255 {
			return nil, c.refuse(name, "bytes")
		}
		data[i] = byte(n)
	}
	return data, nil
}

// byteStrings returns an argument of bytes cut into the lengths of NAME_lengths.
func (c *call) byteStrings(name string) ([][]byte, error) {
	data, err := c.bytes(name)
	if err != nil {
		return nil, err
	}
	var parts [][]byte
	for _, n := range c.indices(name + "_lengths").Data {
		if n == 0 || n > len(data) {
			return nil, c.refuse(name+"_lengths", "lengths of 1 and more, which make up "+name)
		}
		parts, data = append(parts, data[:n]), data[n:]
	}
	if len(data) > 0 {
		return nil, c.refuse(name+"_lengths", "lengths that make up all of "+name)
	}
	return parts, nil
}

func vocabulary(t bpe.Tokenizer) wire.Values {
	vocab, lengths := byteStrings(t.Vocab)
	merges := wire.Ints([]int64{}, len(t.Merges), 2)
	for _, pair := range t.Merges {
		merges.I64 = append(merges.I64, int64(pair[0]), int64(pair[1]))
	}
	return wire.Values{"vocab": vocab, "vocab_lengths": lengths, "merges": merges, "special_ids": integers(t.Special)}
}

// byteStrings returns byte strings as one array, and their lengths.
func byteStrings(parts [][]byte) (data, lengths wire.Value) {
	lengths = wire.Ints([]int64{}, len(parts))
	for _, p := range parts {
		lengths.I64 = append(lengths.I64, int64(len(p)))
	}
	return byteArray(bytes.Join(parts, nil)), lengths
}

func byteArray(data []byte) wire.Value {
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

//go:build mistake

package formats

import "fmt"

// shrink-gains: the gains of the norms are rounded as well
//
// Why: They are a thousandth of a model's numbers, and every number of a token is multiplied by them:
// much is lost for nothing.
//
// Hint: Only what has two dimensions.
func Shrink() {
	if right {
		if len(p.Value.Shape) != 2 {
			bytes += 4 * p.Value.Len()
			continue
		}
	} else {
	}
}

// shrink-embeddings: the embedding stays in float32
//
// Why: It is a matrix, and in a small model one of the largest.
//
// Hint: Every parameter of two dimensions, whatever its name.
func Shrink() {
	if right {
		if len(p.Value.Shape) != 2 {
			bytes += 4 * p.Value.Len()
			continue
		}
	} else {
		if len(p.Value.Shape) != 2 || p.Name == "token_embeddings.weight" {
			bytes += 4 * p.Value.Len()
			continue
		}
	}
}

// shrink-gains-not-counted: the bytes of the gains are not counted
//
// Why: They are stored too, in float32.
//
// Hint: 4 bytes for each number of everything that is no matrix.
func Shrink() {
	if right {
		bytes += 4 * p.Value.Len()
	} else {
	}
}

// shrink-scales-not-counted: the bytes of the scales of int8 are not counted
//
// Why: Without them nobody could read the numbers. For groups of 32 they are a fifth of an int4 file.
//
// Hint: 4 bytes for each group.
func formats() {
	if right {
		m := QuantizeInt8(nil, w, Group)
		copy(w.Data, m.Dequantize().Data)
		return len(m.Q) + 4*len(m.Scale)
	} else {
		m := QuantizeInt8(nil, w, Group)
		copy(w.Data, m.Dequantize().Data)
		return len(m.Q)
	}
}

// shrink-scales-not-counted/int4: the bytes of the scales of int4 are not counted
func formats() {
	if right {
		m := QuantizeInt4(w)
		copy(w.Data, m.Dequantize().Data)
		return len(m.Q) + 4*len(m.Scale)
	} else {
		m := QuantizeInt4(w)
		copy(w.Data, m.Dequantize().Data)
		return len(m.Q)
	}
}

// shrink-int4-bytes: a byte is counted for every int4
//
// Why: Two of them share one.
//
// Hint: 16 bytes for each group of 32.
func formats() {
	if right {
		m := QuantizeInt4(w)
		copy(w.Data, m.Dequantize().Data)
		return len(m.Q) + 4*len(m.Scale)
	} else {
		m := QuantizeInt4(w)
		copy(w.Data, m.Dequantize().Data)
		return 2*len(m.Q) + 4*len(m.Scale)
	}
}

// shrink-not-written: matrices stored as int8 keep their float32 values
//
// Why: What is asked for is the model as it is after it was stored and read back.
//
// Hint: copy(p.Value.Data, …), in place.
func formats() {
	if right {
		m := QuantizeInt8(nil, w, Group)
		copy(w.Data, m.Dequantize().Data)
	} else {
		m := QuantizeInt8(nil, w, Group)
	}
}

// shrink-not-written/int4: matrices stored as int4 keep their float32 values
func formats() {
	if right {
		m := QuantizeInt4(w)
		copy(w.Data, m.Dequantize().Data)
	} else {
		m := QuantizeInt4(w)
	}
}

// shrink-not-written/16-bits: matrices stored in 16 bits keep their float32 values
func each() {
	if right {
		w.Data[i] = round(x)
	} else {
		_, _ = i, round(x)
	}
}

// shrink-unknown: a format that there is none of is taken for float32
//
// Why: A slip of the pen would be measured as a format without a loss.
//
// Hint: Return an error that names the format.
func Shrink() {
	if right {
		if !ok {
			return 0, fmt.Errorf("there is no format %q; want f32, bf16, fp16, int8 or int4", format)
		}
	} else {
		if !ok {
			store = formats()["f32"]
		}
	}
}

// Package gguf reads and writes GGUF, the file in which llama.cpp and what is built on
// it keep a model: its metadata, each under a key, and its tensors by name. Whatever is
// not exactly the format is refused, with an error that says what was found and what
// was wanted.
//
// A file of version 3 is, all little-endian,
//
//	4 bytes    "GGUF"
//	uint32     3
//	uint64     how many tensors
//	uint64     how many keys
//	each key   string, uint32 the kind of its value, the value
//	each tensor  string, uint32 how many dimensions, uint64 each of them, the last
//	           axis first, uint32 its type, uint64 where its elements begin
//	zeros      up to a multiple of general.alignment, which is 32 unless it says other
//	the rest   the elements, each tensor's at such a multiple; places count from here
//
// where a string is its uint64 length and its bytes, and an array the uint32 kind of
// its elements, their uint64 number, and them. See docs/gguf.md in
// github.com/ggml-org/ggml.
package gguf

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

const (
	magic     = "GGUF"
	version   = 3
	alignment = 32
)

// AlignmentKey is the key under which a file may say another alignment than 32.
const AlignmentKey = "general.alignment"

// File is what a GGUF file holds.
type File struct {
	// Meta are the values by key: uint8 to uint64, int8 to int64, float32, float64,
	// bool, string, or a slice of one of these.
	Meta    map[string]any
	Tensors map[string]*tensor.Tensor // the last axis of a shape is the one that lies together
}

// Type is what the elements of a tensor are stored as.
type Type uint32

// The types that this package knows, under their numbers in the file.
const (
	F32  Type = 0
	F16  Type = 1
	Q8_0 Type = 8 // blocks of 32 numbers of a row: a float16 scale d, and 32 int8 q, for q·d
	BF16 Type = 30
)

// Types are the types in which Write can store a model, from the most bits to the fewest.
func Types() []Type { return []Type{F32, BF16, F16, Q8_0} }

// typeNames are all types of ggml, so that one that is not read can be named.
var typeNames = map[Type]string{F32: "f32", F16: "f16", 2: "q4_0", 3: "q4_1", 6: "q5_0", 7: "q5_1", Q8_0: "q8_0",
	9: "q8_1", 10: "q2_k", 11: "q3_k", 12: "q4_k", 13: "q5_k", 14: "q6_k", 15: "q8_k", 16: "iq2_xxs", 17: "iq2_xs",
	18: "iq3_xxs", 19: "iq1_s", 20: "iq4_nl", 21: "iq3_s", 22: "iq2_s", 23: "iq4_xs", 24: "i8", 25: "i16", 26: "i32",
	27: "i64", 28: "f64", 29: "iq1_m", BF16: "bf16", 34: "tq1_0", 35: "tq2_0", 39: "mxfp4"}

// String returns the name of a type, as llama.cpp writes it in small letters.
func (t Type) String() string {
	if name, ok := typeNames[t]; ok {
		return name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// kind is what a value of the metadata is.
type kind uint32

const (
	kindUint8 kind = iota
	kindInt8
	kindUint16
	kindInt16
	kindUint32
	kindInt32
	kindFloat32
	kindBool
	kindString
	kindArray
	kindUint64
	kindInt64
	kindFloat64
)

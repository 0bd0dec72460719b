package kernel

// isa names an instruction set for which this package has code. The portable one is plain Go.
type isa uint8

const (
	portable isa = iota
	neon
	avx2
	avx512
	avx512BF16 // of pairs; see GemmBF16
)

// String is the name used in benchmarks and in Micro.Name.
func (s isa) String() string {
	switch s {
	case neon:
		return "neon"
	case avx2:
		return "avx2"
	case avx512:
		return "avx512"
	case avx512BF16:
		return "avx512_bf16"
	}
	return "portable"
}

// tile is the number of rows and columns of C that the instruction set's micro-kernel keeps in registers.
func (s isa) tile() (mr, nr int) {
	switch s {
	case neon:
		return 8, 8
	case avx2:
		return 6, 16
	case avx512, avx512BF16:
		return 14, 32
	}
	return 4, 4
}

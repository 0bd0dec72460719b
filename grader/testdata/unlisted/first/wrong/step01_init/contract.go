//go:build unlisted

package initializers

// cut-zero-allowed: only a negative cut is refused
//
// Why: With cut = 0 TruncatedNormal does not panic but draws for ever, because no draw is accepted.
func TruncatedNormal() {
	if right {
		if cut <= 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
	} else {
		if cut < 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
	}
}

// cut-refused-silently: a cut that is not positive returns without a panic
//
// Why: A wrong cut goes unnoticed: there is no panic and dst keeps its old contents.
func TruncatedNormal() {
	if right {
		if cut <= 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
	} else {
		if cut <= 0 {
			return
		}
	}
}

// cut-made-positive: a negative cut is taken without its sign
//
// Why: TruncatedNormal does not panic for a negative cut; it works with its absolute value.
func TruncatedNormal() {
	if right {
		if cut <= 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
	} else {
		if cut < 0 {
			cut = -cut
		}
		if cut == 0 {
			panic("TruncatedNormal: cut must be positive, or no draw is ever accepted")
		}
	}
}

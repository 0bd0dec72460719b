//go:build mistake

package seq2seq

// TODO(author): ten mistakes or more, in this file or others beside it, such as
//
//	// not-copied: Forward returns its input
//	//
//	// Why: The caller may change what it is given.
//	//
//	// Hint: Make a new tensor.
//	func Forward() {
//		if right {
//			return x.Clone()
//		} else {
//			return x
//		}
//	}
//
// where “right” are the statements of the solution. Then: grade dev mutate step20

//go:build unlisted

package rmsnorm

// no-check-for-forward: Backward does not look whether a Forward came before
//
// Why: Backward without a Forward panics with a nil pointer and not with a ShapeError.
func (*RMSNorm) Backward() {
	if right {
		tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	} else {
	}
}

// dy-last-dimension-only: dy is checked for its last dimension alone
//
// Why: A dy with other leading dimensions than y, or with more rows, is taken without a ShapeError.
func (*RMSNorm) Backward() {
	if right {
		tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	} else {
		tensor.CheckShape("RMSNorm.Backward: dy", dy, tensor.Lead, len(g))
	}
}

// x-of-three-dimensions-only: x must be (B, T, D)
//
// Why: Forward panics for a matrix or a vector, although any leading dimensions are allowed.
func (*RMSNorm) Forward() {
	if right {
		tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, len(g))
	} else {
		tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Any, tensor.Any, len(g))
	}
}

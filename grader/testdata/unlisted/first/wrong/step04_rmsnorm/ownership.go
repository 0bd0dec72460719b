//go:build unlisted

package rmsnorm

// dh-in-memory-of-dy: dh is computed in the caller's dy
//
// Why: Backward changes dy: afterwards it is multiplied by the gain.
func (*RMSNorm) Backward() {
	if right {
		kernel.Mul(dh, dyn, g)
		mean := kernel.Dot(dh, h) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
	} else {
		_ = dh
		kernel.Mul(dyn, dyn, g)
		mean := kernel.Dot(dyn, h) / float32(len(g))
		kernel.ScaleTo(dxn, r, dyn)
	}
}

// h-in-memory-of-x: x is normalised in place
//
// Why: Forward changes the caller's x, and Backward multiplies by r once more.
func (*RMSNorm) Forward() {
	if right {
		kernel.ScaleTo(yn, r, xn)
		kernel.Mul(yn, yn, g)
	} else {
		kernel.Scale(r, xn)
		kernel.Mul(yn, xn, g)
	}
}

// h-in-memory-of-x-in-backward: Backward normalises x in place
//
// Why: Backward changes the caller's x; a second Backward works with the changed one.
func (*RMSNorm) Backward() {
	if right {
		kernel.ScaleTo(h, r, xn)
	} else {
		kernel.Scale(r, xn)
		copy(h, xn)
	}
}

// dx-in-memory-of-y: dx takes the memory of y
//
// Why: Backward overwrites the y that Forward returned, which is valid until the next Forward.
func (*RMSNorm) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		l.dx = l.y
	}
}

// h-from-y: the normalised row is won back from y by a division
//
// Why: Where the gain is 0 Backward gives NaN, and a y that the caller has changed leads to a wrong gradient.
func (*RMSNorm) Backward() {
	if right {
		kernel.ScaleTo(h, r, xn)
	} else {
		copy(h, xn)
		kernel.Div(h, l.y.Row(n), g)
	}
}

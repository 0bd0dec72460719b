//go:build unlisted

package block

// x-in-place: the first branch is added to the caller's x
//
// Why: Forward changes x, and Norm1 finds y where x was in Backward.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		b.y = x
	}
}

// dz-in-place: what comes back is added to the caller's dz
//
// Why: Backward changes dz, which belongs to the caller.
func (*Block) Backward() {
	if right {
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
	} else {
		b.dy = dz
	}
}

// dy-in-memory-of-z: dy takes the memory of z
//
// Why: Backward overwrites the z that Forward returned, which is valid until the next Forward.
func (*Block) Backward() {
	if right {
		b.dy = tensor.Reuse(b.dy, dz.Shape...)
	} else {
		b.dy = b.z
	}
}

// dx-in-dz: dx is returned in the caller's dz
//
// Why: Backward changes dz: it holds dx afterwards.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
	} else {
		b.dx = dz
	}
}

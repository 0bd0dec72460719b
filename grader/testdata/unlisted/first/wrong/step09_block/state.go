//go:build unlisted

package block

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// y-made-once: y is made by the first Forward and keeps its size
//
// Why: A second Forward with another number of tokens panics, because the lengths differ.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		if b.y == nil {
			b.y = tensor.New(x.Shape...)
		}
	}
}

// y-of-package: y is a variable of the package
//
// Why: When a second block runs Forward, the first one's y, which its Norm2 keeps for Backward, is overwritten.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		middle = tensor.Reuse(middle, x.Shape...)
		b.y = middle
	}
}

var middle *tensor.Tensor

// z-of-package: all blocks return the same z, a variable of the package
//
// Why: The second block of a chain writes its z over its own x, which its Norm1 keeps for Backward.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
		stream = tensor.Reuse(stream, x.Shape...)
		b.z = stream
	}
}

var stream *tensor.Tensor

// z-in-memory-of-y: the second branch is added to y in place
//
// Why: Norm2 keeps y for Backward and finds z there: dx and the gradients of ln2 and what lies before are wrong.
func (*Block) Forward() {
	if right {
		b.z = tensor.Reuse(b.z, x.Shape...)
	} else {
		b.z = b.y
	}
}

// dx-made-once: dx is made by the first Backward and keeps its size
//
// Why: Backward after a Forward with another number of tokens panics, because the lengths differ.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
	} else {
		if b.dx == nil {
			b.dx = tensor.New(dz.Shape...)
		}
	}
}

// dx-of-package: all blocks return the same dx, a variable of the package
//
// Why: The Backward of a second block overwrites the dx that the first one returned.
func (*Block) Backward() {
	if right {
		b.dx = tensor.Reuse(b.dx, dz.Shape...)
	} else {
		stream = tensor.Reuse(stream, dz.Shape...)
		b.dx = stream
	}
}

var stream *tensor.Tensor

// dy-added-up: what comes back through the feed-forward network is added to the dy of the last call
//
// Why: A second Backward has the first one's dy in its own.
func (*Block) Backward() {
	if right {
		kernel.Add(b.dy.Data, dz.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	} else {
		kernel.Add(b.dy.Data, b.dy.Data, dz.Data)
		kernel.Add(b.dy.Data, b.dy.Data, b.Norm2.Backward(b.FFN.Backward(dz)).Data)
	}
}

// gains-cleared-by-forward: every Forward clears the gradients of the block
//
// Why: The gradients of two Forward-Backward pairs do not add up, because the second Forward clears the first one's.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
	} else {
		for _, p := range b.Params() {
			p.ZeroGrad()
		}
		b.y = tensor.Reuse(b.y, x.Shape...)
	}
}

//go:build unlisted

package block

import (
	"runtime"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// all-in-new-memory: every sum is a new tensor, added up in float64
//
// Why: what is returned stays valid for longer than promised, and one addition rounded once is the same in float64.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)

		b.z = tensor.Reuse(b.z, x.Shape...)
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
		return b.z
	} else {
		b.y = wideSum(x, b.Attn.Forward(b.Norm1.Forward(x), positions))
		b.z = wideSum(b.y, b.FFN.Forward(b.Norm2.Forward(b.y)))
		return b.z
	}
}

func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	dy := wideSum(b.Norm2.Backward(b.FFN.Backward(dz)), dz)
	return wideSum(b.Norm1.Backward(b.Attn.Backward(dy)), dy)
}

func wideSum(x, y *tensor.Tensor) *tensor.Tensor {
	sum := tensor.New(x.Shape...)
	for i := range sum.Data {
		sum.Data[i] = float32(float64(x.Data[i]) + float64(y.Data[i]))
	}
	return sum
}

// residual-as-a-function: both lines are one function, applied to itself in turn, and the sums are divided among goroutines
//
// Why: z = residual(FFN∘Norm2, residual(Attn∘Norm1, x)); the derivative undoes the two in the other order.
func (*Block) Forward() {
	if right {
		b.y = tensor.Reuse(b.y, x.Shape...)
		kernel.Add(b.y.Data, x.Data, b.Attn.Forward(b.Norm1.Forward(x), positions).Data)

		b.z = tensor.Reuse(b.z, x.Shape...)
		kernel.Add(b.z.Data, b.y.Data, b.FFN.Forward(b.Norm2.Forward(b.y)).Data)
		return b.z
	} else {
		residual(&b.y, x, func(x *tensor.Tensor) *tensor.Tensor { return b.Attn.Forward(b.Norm1.Forward(x), positions) })
		residual(&b.z, b.y, func(y *tensor.Tensor) *tensor.Tensor { return b.FFN.Forward(b.Norm2.Forward(y)) })
		return b.z
	}
}

func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	residual(&b.dy, dz, func(d *tensor.Tensor) *tensor.Tensor { return b.Norm2.Backward(b.FFN.Backward(d)) })
	residual(&b.dx, b.dy, func(d *tensor.Tensor) *tensor.Tensor { return b.Norm1.Backward(b.Attn.Backward(d)) })
	return b.dx
}

func residual(dst **tensor.Tensor, x *tensor.Tensor, branch func(*tensor.Tensor) *tensor.Tensor) {
	y := branch(x)
	*dst = tensor.Reuse(*dst, x.Shape...)
	parts := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for part := range parts {
		from, to := part*x.Len()/parts, (part+1)*x.Len()/parts
		sum := (*dst).Data
		all.Go(func() {
			for i := to - 1; i >= from; i-- {
				sum[i] = y.Data[i] + x.Data[i]
			}
		})
	}
	all.Wait()
}

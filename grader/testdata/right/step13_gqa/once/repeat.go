package gqa

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// Repeat goes through the numbers of the result and asks where each comes from.
func Repeat(dst, kv *tensor.Tensor, numHeads int) *tensor.Tensor {
	tensor.CheckShape("gqa.Repeat: kv", kv, tensor.Any, tensor.Any, tensor.Any, tensor.Any)
	batch, groups, seq, width := kv.Dim(0), kv.Dim(1), kv.Dim(2), kv.Dim(3)
	whole(kv, numHeads, groups)
	if dst == nil {
		dst = &tensor.Tensor{}
	}
	dst.Shape, dst.Data = []int{batch, numHeads, seq, width}, make([]float32, batch*numHeads*seq*width)
	for i := range dst.Data {
		inside, h, b := i%(seq*width), i/(seq*width)%numHeads, i/(seq*width*numHeads)
		dst.Data[i] = kv.Data[(b*groups+h*groups/numHeads)*seq*width+inside]
	}
	return dst
}

// SumGroups adds up in float64, from the last head of a group to the first.
func SumGroups(dst, d *tensor.Tensor, numKVHeads int) *tensor.Tensor {
	tensor.CheckShape("gqa.SumGroups: d", d, tensor.Any, tensor.Any, tensor.Any, tensor.Any)
	batch, heads, size := d.Dim(0), d.Dim(1), d.Dim(2)*d.Dim(3)
	whole(d, heads, numKVHeads)
	if dst == nil {
		dst = &tensor.Tensor{}
	}
	dst.Shape, dst.Data = []int{batch, numKVHeads, d.Dim(2), d.Dim(3)}, make([]float32, batch*numKVHeads*size)
	for i := range dst.Data {
		group, sum := i/size, 0.0 // of all groups of all texts: their heads lie one behind the other
		for h := heads/numKVHeads - 1; h >= 0; h-- {
			sum += float64(d.Data[(group*(heads/numKVHeads)+h)*size+i%size])
		}
		dst.Data[i] = float32(sum)
	}
	return dst
}

// whole panics unless the heads divide into groups.
func whole(t *tensor.Tensor, heads, groups int) {
	if groups < 1 || heads < groups || heads/groups*groups != heads {
		panic(tensor.ShapeError{Op: "gqa: heads and heads of keys, which must divide them", Got: append([]int{heads, groups}, t.Shape...)})
	}
}

// head returns the numbers of one head of one text.
func head(t *tensor.Tensor, b, h int) []float32 {
	return t.MatrixAt(b*t.Dim(1) + h).Data[:t.Dim(2)*t.Dim(3)]
}

//go:build mistake

package lm

// replica-shares-gradients: a replica shares the gradients as well: what two workers find is added
// to the same memory
//
// Why: Two workers that write to one gradient at the same time lose additions, and whoever sums
// the replicas' gradients counts them several times.
//
// Hint: Param.Replica() shares the value and has a gradient of its own.
func (*LM) Replica() {
	if right {
		r.Embedding = embedding.New(m.Embedding.Weight.Replica())
		for _, b := range m.Blocks {
			attn := attention.NewMultiHead(b.Attn.QKV.Weight.Replica(), b.Attn.Output.Weight.Replica(), m.Config.NumHeads, m.rope)
			ffn := swiglu.New(b.FFN.W1.Weight.Replica(), b.FFN.W2.Weight.Replica(), b.FFN.W3.Weight.Replica())
			r.Blocks = append(r.Blocks, block.New(b.Norm1.Gain.Replica(), attn, b.Norm2.Gain.Replica(), ffn))
		}
		r.Norm = rmsnorm.New(m.Norm.Gain.Replica())
		r.Head = linear.New(m.Head.Weight.Replica())
	} else {
		r.Embedding = embedding.New(m.Embedding.Weight)
		for _, b := range m.Blocks {
			attn := attention.NewMultiHead(b.Attn.QKV.Weight, b.Attn.Output.Weight, m.Config.NumHeads, m.rope)
			ffn := swiglu.New(b.FFN.W1.Weight, b.FFN.W2.Weight, b.FFN.W3.Weight)
			r.Blocks = append(r.Blocks, block.New(b.Norm1.Gain, attn, b.Norm2.Gain, ffn))
		}
		r.Norm = rmsnorm.New(m.Norm.Gain)
		r.Head = linear.New(m.Head.Weight)
	}
}

// replica-copies-values: a replica has values of its own: a copy that does not learn of later
// changes
//
// Why: After the first step of the optimiser, the replicas would go on with the old weights.
//
// Hint: Param.Replica() shares the value and has a gradient of its own.
func (*LM) Replica() {
	if right {
		r.Embedding = embedding.New(m.Embedding.Weight.Replica())
		for _, b := range m.Blocks {
			attn := attention.NewMultiHead(b.Attn.QKV.Weight.Replica(), b.Attn.Output.Weight.Replica(), m.Config.NumHeads, m.rope)
			ffn := swiglu.New(b.FFN.W1.Weight.Replica(), b.FFN.W2.Weight.Replica(), b.FFN.W3.Weight.Replica())
			r.Blocks = append(r.Blocks, block.New(b.Norm1.Gain.Replica(), attn, b.Norm2.Gain.Replica(), ffn))
		}
		r.Norm = rmsnorm.New(m.Norm.Gain.Replica())
		r.Head = linear.New(m.Head.Weight.Replica())
	} else {
		own := func(p *tensor.Param) *tensor.Param { return tensor.NewParam(p.Name, p.Value.Clone()) }
		r.Embedding = embedding.New(own(m.Embedding.Weight))
		for _, b := range m.Blocks {
			attn := attention.NewMultiHead(own(b.Attn.QKV.Weight), own(b.Attn.Output.Weight), m.Config.NumHeads, m.rope)
			ffn := swiglu.New(own(b.FFN.W1.Weight), own(b.FFN.W2.Weight), own(b.FFN.W3.Weight))
			r.Blocks = append(r.Blocks, block.New(own(b.Norm1.Gain), attn, own(b.Norm2.Gain), ffn))
		}
		r.Norm = rmsnorm.New(own(m.Norm.Gain))
		r.Head = linear.New(own(m.Head.Weight))
	}
}

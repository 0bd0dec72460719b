package moe

import "github.com/stubformer/stubformer/reference/tensor"

// TopK writes the places of the largest of logits to chosen, as many as chosen has
// room for: the largest first, and of equal ones that at the lower place. It panics
// with a ShapeError unless there is room for 1 to as many as there are logits.
func TopK(chosen []int, logits []float32) {
	panic(tensor.TODO("step18: TopK"))
}

// Gates computes the weights of the chosen experts of one token:
//
//	k ≥ 2    gates[n] = softmax over the chosen logits alone, at place n
//	k = 1    gates[0] = softmax over all logits, at the chosen place
//
// gates is overwritten. Over one number alone the softmax is 1 whatever the number
// is, and has no gradient: that is why k = 1 is another case. It panics with a
// ShapeError if gates and chosen differ in length, or unless 1 to E are chosen.
//
// Source: Jiang et al., "Mixtral of Experts", 2024, section 2.1, for k ≥ 2; Fedus et
// al., "Switch Transformers", 2021, equation 2, for k = 1.
func Gates(gates, logits []float32, chosen []int) {
	panic(tensor.TODO("step18: Gates"))
}

// GatesBackward computes the gradient of the logits of one token from that of the gates
// that Gates gave. dlogits is overwritten; where an expert was not chosen and k ≥ 2 it
// is 0. It panics with a ShapeError if lengths do not fit.
func GatesBackward(dlogits, dgates, gates, logits []float32, chosen []int) {
	panic(tensor.TODO("step18: GatesBackward"))
}

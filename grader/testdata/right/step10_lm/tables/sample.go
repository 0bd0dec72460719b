package lm

import (
	"container/heap"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// likeliest is a heap of tokens, the likeliest on top, of equals the first.
type likeliest struct {
	probs []float32
	ids   []int
}

func (l *likeliest) Len() int { return len(l.ids) }
func (l *likeliest) Less(i, j int) bool {
	a, b := l.ids[i], l.ids[j]
	return l.probs[a] > l.probs[b] || l.probs[a] == l.probs[b] && a < b
}
func (l *likeliest) Swap(i, j int) { l.ids[i], l.ids[j] = l.ids[j], l.ids[i] }
func (l *likeliest) Push(any)      { panic("nothing is added") }
func (l *likeliest) Pop() any {
	last := l.ids[len(l.ids)-1]
	l.ids = l.ids[:len(l.ids)-1]
	return last
}

// Distribution takes tokens from a heap until there is enough.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if temperature < 0 || math.IsNaN(temperature) || topP <= 0 || topP > 1 || math.IsNaN(topP) {
		panic("temperature or topP is out of range")
	}
	best := 0
	for i, x := range logits {
		if x > logits[best] {
			best = i
		}
	}
	probs := make([]float32, len(logits))
	if temperature == 0 {
		probs[best] = 1
		return probs
	}
	for i, x := range logits {
		probs[i] = float32((float64(x) - float64(logits[best])) / temperature)
	}
	t := tensor.From(probs, len(probs))
	softmax.Softmax(t, t, 0)
	if topP == 1 {
		return probs
	}
	kept, sum := make([]float32, len(probs)), 0.0
	queue := &likeliest{probs: probs}
	for i := range probs {
		queue.ids = append(queue.ids, i)
	}
	heap.Init(queue)
	for sum < topP && queue.Len() > 0 {
		id := heap.Pop(queue).(int)
		kept[id] = probs[id]
		sum += float64(probs[id])
	}
	for i := range kept {
		kept[i] = float32(float64(kept[i]) / sum)
	}
	return kept
}

// Draw walks down from the last token.
func Draw(probs []float32, rng *rand.Rand) int {
	total := 0.0
	for _, p := range probs {
		total += float64(p)
	}
	if !(total > 0) {
		panic("no probabilities")
	}
	place, chosen := rng.Float64()*total, -1
	for i := len(probs) - 1; i >= 0; i-- {
		if probs[i] == 0 {
			continue
		}
		if chosen = i; place < float64(probs[i]) {
			break
		}
		place -= float64(probs[i])
	}
	return chosen
}

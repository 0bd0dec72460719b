// Command attention is what `grade bench attention` runs: one kind of attention, forward
// and backward, on random numbers.
//
//	attention naive|flash N   the layer of step 08 or of step 16, a causal text of N tokens
//
// It writes one run.Event to standard output, whose answer is a run.Attention.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/tensor"
	attention "github.com/stubformer/stubformer/steps/step08_attention"
	flash "github.com/stubformer/stubformer/steps/step16_flash"
)

func main() {
	events := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr // for what the student's code prints
	event, err := measure(os.Args[1:])
	if err != nil {
		event = run.Event{Error: err.Error()}
	}
	events.Encode(event)
	if err != nil {
		os.Exit(1)
	}
}

// layer is what both have.
type layer interface {
	Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor
	Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor)
}

// patience is how long passes are repeated at least, and width is K.
const (
	patience = 500 * time.Millisecond
	width    = 64
)

// measure makes a layer and lets it go through both passes, again and again.
func measure(args []string) (run.Event, error) {
	if len(args) != 2 {
		return run.Event{}, fmt.Errorf("the arguments are %q; want naive or flash, and a number of tokens", args)
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return run.Event{}, err
	}
	runtime.GOMAXPROCS(1)
	var in [4]*tensor.Tensor
	rng := rand.New(rand.NewPCG(16, 1))
	for i := range in {
		in[i] = tensor.New(1, 1, n, width)
		for at := range in[i].Data {
			in[i].Data[at] = float32(rng.NormFloat64())
		}
	}
	made := map[string]func() (layer, *attention.Mask){
		"naive": func() (layer, *attention.Mask) { return new(attention.Attention), attention.Causal(n) },
		"flash": func() (layer, *attention.Mask) { return new(flash.Attention), flash.Causal(n) },
	}[args[0]]
	if made == nil {
		return run.Event{}, fmt.Errorf("%q is neither naive nor flash", args[0])
	}
	answer, err := json.Marshal(passes(made, in))
	return run.Event{Answer: answer}, err
}

// passes measures the shortest time that both passes take, and what the first ones ask
// for: the mask, and all that the layer works with and keeps.
func passes(made func() (layer, *attention.Mask), in [4]*tensor.Tensor) run.Attention {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l, mask := made()
	both := func() time.Duration {
		start := cputime.Process()
		l.Forward(in[0], in[1], in[2], mask)
		l.Backward(in[3])
		return cputime.Process() - start
	}
	both()
	runtime.ReadMemStats(&after)
	shortest := time.Duration(math.MaxInt64)
	for begin := time.Now(); shortest == math.MaxInt64 || time.Since(begin) < patience; {
		shortest = min(shortest, both())
	}
	return run.Attention{Seconds: shortest.Seconds(), Bytes: int(after.TotalAlloc - before.TotalAlloc)}
}

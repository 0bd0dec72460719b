package main

import (
	"encoding/json"
	"runtime"
	"time"

	"github.com/stubformer/stubformer/grader/studio/bench/roofline"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	softmax "github.com/stubformer/stubformer/steps/step07_softmax"
	block "github.com/stubformer/stubformer/steps/step09_block"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

// stepper makes the training step of one shard, layer by layer, and notes what each
// operation takes. It calls the layers in the order of the model, so that what lies in the
// caches is what lies there in training.
type stepper struct {
	model        *lm.LM
	loss         softmax.CrossEntropy
	optimizer    *training.AdamW
	ids, targets [][]int
	positions    [][]int
	streams      []*tensor.Tensor // x of each block, y, z, and the gradients
	operations   map[string]*roofline.Operation
	order        []string
	within       *roofline.Operation // for the products that are made now
}

// step answers with where the time of a training step of one shard goes, on one core.
func (w *worker) step(name string, d time.Duration) (string, error) {
	t, err := w.trainer(name, briefBatch)
	if err != nil {
		return "", err
	}
	shard := max(1, t.Options.Batch/t.Options.Shards)
	s := &stepper{model: t.Model, ids: t.ids[:shard], targets: t.targets[:shard], operations: map[string]*roofline.Operation{},
		optimizer: training.NewAdamW(t.Model.Params(), 0.9, 0.99, 1e-8, 0.1)}
	s.positions = [][]int{make([]int, t.Options.Context)}
	for i := range s.positions[0] {
		s.positions[0][i] = i
	}
	defer tensor.UseProduct(s.product)()
	if err := s.run(); err != nil { // memory is allocated
		return "", err
	}
	s.operations, s.order = map[string]*roofline.Operation{}, nil
	steps := 0
	for begin := time.Now(); time.Since(begin) < d || steps < 3; steps++ {
		if err := s.run(); err != nil {
			return "", err
		}
	}
	answer := roofline.Step{Tokens: shard * t.Options.Context, DModel: t.Model.Config.DModel}
	for _, name := range s.order {
		o := *s.operations[name]
		o.Seconds /= float64(steps)
		o.FLOPs /= float64(steps)
		o.Bytes /= float64(steps)
		o.Allocations /= float64(steps)
		answer.Operations = append(answer.Operations, o)
	}
	text, err := json.Marshal(answer)
	return string(text), err
}

// product is the product of the steps, with a note of what it takes.
func (s *stepper) product(dst, a, b tensor.Matrix, accumulate bool) {
	begin := cputime.Wall()
	training.MatMul(dst, a, b, accumulate)
	o := s.operation(s.within.Name + ": products")
	took := (cputime.Wall() - begin).Seconds()
	o.Seconds += took
	s.within.Seconds -= took
	m, n, k := float64(dst.Rows), float64(dst.Cols), float64(a.Cols)
	o.FLOPs += 2 * m * n * k
	o.Bytes += 4 * (m*k + k*n + m*n)
}

// operation returns the notes on an operation.
func (s *stepper) operation(name string) *roofline.Operation {
	o := s.operations[name]
	if o == nil {
		o = &roofline.Operation{Name: name}
		s.operations[name] = o
		s.order = append(s.order, name)
	}
	return o
}

// note runs a part of the step. Beside its products it reads or writes at least so many
// numbers.
func (s *stepper) note(name string, numbers int, run func()) {
	o := s.operation(name)
	s.within = o
	var before, after runtime.MemStats
	if o.Seconds == 0 { // once an operation: to ask stops the world
		runtime.ReadMemStats(&before)
	}
	first := o.Seconds == 0
	begin := cputime.Wall()
	run()
	o.Seconds += (cputime.Wall() - begin).Seconds()
	o.Bytes += 4 * float64(numbers)
	if first {
		runtime.ReadMemStats(&after)
		o.Allocations += float64(after.Mallocs - before.Mallocs)
	}
}

// stream returns the i-th tensor of the residual stream, of the shape of x.
func (s *stepper) stream(i int, x *tensor.Tensor) *tensor.Tensor {
	for len(s.streams) <= i {
		s.streams = append(s.streams, nil)
	}
	s.streams[i] = tensor.Reuse(s.streams[i], x.Shape...)
	return s.streams[i]
}

// run makes one step.
func (s *stepper) run() (err error) {
	m := s.model
	for _, p := range m.Params() {
		p.ZeroGrad()
	}
	var x, logits, d *tensor.Tensor
	s.note("embedding", 0, func() { x, err = m.Embedding.Forward(s.ids) })
	if err != nil {
		return err
	}
	size, out := x.Len(), s.targets
	s.operation("embedding").Bytes += 8 * float64(size)
	for i, b := range m.Blocks {
		x = s.forward(b, 2*i, x)
	}
	s.note("norms", 2*size, func() { x = m.Norm.Forward(x) })
	s.note("head", 0, func() { logits = m.Head.Forward(x) })
	s.note("loss", 3*logits.Len(), func() {
		if _, err = s.loss.Forward(logits, out); err == nil {
			d = s.loss.Backward()
		}
	})
	if err != nil {
		return err
	}
	s.note("head", 0, func() { d = m.Head.Backward(d) })
	s.note("norms", 3*size, func() { d = m.Norm.Backward(d) })
	for i := len(m.Blocks) - 1; i >= 0; i-- {
		d = s.backward(m.Blocks[i], 2*len(m.Blocks)+i%2*2, d)
	}
	s.note("embedding", 3*size, func() { m.Embedding.Backward(d) })
	params := m.Params()
	weights := 0
	for _, p := range params {
		weights += p.Value.Len()
	}
	s.note("clipping", weights, func() { training.ClipGradNorm(params, 1e9) })
	s.note("AdamW", 7*weights, func() { s.optimizer.Step(1e-5) }) // p, m, v read and written, the gradient read
	return nil
}

// forward is Block.Forward, in its parts.
func (s *stepper) forward(b *block.Block, i int, x *tensor.Tensor) *tensor.Tensor {
	var h *tensor.Tensor
	y, z := s.stream(i, x), s.stream(i+1, x)
	size, act := x.Len(), x.Rows()*b.FFN.W1.Weight.Value.Dim(0)
	s.note("norms", 2*size, func() { h = b.Norm1.Forward(x) })
	s.note("attention", s.scores(2)+10*size, func() { h = b.Attn.Forward(h, s.positions) })
	s.note("residual stream", 3*size, func() { kernel.Add(y.Data, x.Data, h.Data) })
	s.note("norms", 2*size, func() { h = b.Norm2.Forward(y) })
	s.note("feed-forward", 4*act, func() { h = b.FFN.Forward(h) })
	s.note("residual stream", 3*size, func() { kernel.Add(z.Data, y.Data, h.Data) })
	return z
}

// backward is Block.Backward, in its parts.
func (s *stepper) backward(b *block.Block, i int, dz *tensor.Tensor) *tensor.Tensor {
	var d *tensor.Tensor
	dy, dx := s.stream(i, dz), s.stream(i+1, dz)
	size, act := dz.Len(), dz.Rows()*b.FFN.W1.Weight.Value.Dim(0)
	s.note("feed-forward", 7*act, func() { d = b.FFN.Backward(dz) })
	s.note("norms", 3*size, func() { d = b.Norm2.Backward(d) })
	s.note("residual stream", 3*size, func() { kernel.Add(dy.Data, dz.Data, d.Data) })
	s.note("attention", s.scores(3)+10*size, func() { d = b.Attn.Backward(dy) })
	s.note("norms", 3*size, func() { d = b.Norm1.Backward(d) })
	s.note("residual stream", 3*size, func() { kernel.Add(dx.Data, dy.Data, d.Data) })
	return dx
}

// scores is how many numbers some passes over all scores of a layer read or write.
func (s *stepper) scores(passes int) int {
	c := s.model.Config
	return passes * len(s.ids) * c.NumHeads * c.ContextLength * c.ContextLength
}

package tensor

// Param is a tensor that training changes: its value and the gradient of the
// loss with respect to it. Backward methods add to Grad; whoever starts a new
// optimisation step clears it with ZeroGrad.
type Param struct {
	Name  string
	Value *Tensor
	Grad  *Tensor // the shape of Value
}

// NewParam returns a parameter around value with a gradient of zeros.
func NewParam(name string, value *Tensor) *Param {
	return &Param{Name: name, Value: value, Grad: New(value.Shape...)}
}

// Replica returns a parameter that shares p's value and has a gradient of its
// own, so that two workers can run backward at the same time.
func (p *Param) Replica() *Param { return NewParam(p.Name, p.Value) }

// Slice returns rows lo to hi (hi excluded) of p as a parameter of its own
// over the same memory, value and gradient alike. Three projections that are
// stored as one matrix, so that one product computes them all, keep their
// separate names this way.
func (p *Param) Slice(name string, lo, hi int) *Param {
	return &Param{Name: name, Value: p.Value.Slice(lo, hi), Grad: p.Grad.Slice(lo, hi)}
}

// ZeroGrad sets the gradient to 0.
func (p *Param) ZeroGrad() { p.Grad.Zero() }

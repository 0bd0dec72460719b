//go:build mistake

package moe

// gate-on-the-input: the gates multiply the experts' inputs, not their outputs
//
// Why: An expert is not linear: Expert(g·x) is not g·Expert(x).
//
// Hint: Give the experts x as it is, and weigh what comes back.
func (*Mixture) Forward() {
	if right {
		copy(m.sorted.Row(p), x.Row(slot/m.K))
	} else {
		kernel.ScaleTo(m.sorted.Row(p), m.gates[slot], x.Row(slot/m.K))
	}
	if right {
		kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
	} else {
		kernel.Axpy(1, m.outs[e].Row(p), m.y.Row(slot/m.K))
	}
}

// no-gate: the outputs of the experts are added without their gates
//
// Why: The router says not only who computes, but how much each counts.
//
// Hint: y += gate · out.
func (*Mixture) Forward() {
	if right {
		kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
	} else {
		kernel.Axpy(1, m.outs[e].Row(p), m.y.Row(slot/m.K))
	}
}

// gate-gradient-weighed: the gradient of a gate is multiplied by the gate
//
// Why: y = g·out is linear in g: its derivative is out, and the gate itself is no part of it. dOut has the
// gate in it, dy has not.
//
// Hint: dg = Σ_d dy·out, with dy as it came.
func (*Mixture) Backward() {
	if right {
		m.dGates[slot] = kernel.Dot(row, m.outs[e].Row(p))
	} else {
		m.dGates[slot] = kernel.Dot(m.dOut.Row(from+p), m.outs[e].Row(p))
	}
}

// gate-of-the-place: the gate is looked up by the place in the sorted order, not by the slot
//
// Why: Sorting has moved the slots; the gates have stayed where they were.
//
// Hint: order[p] is the slot of place p: gates[order[p]].
func (*Mixture) Forward() {
	if right {
		kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
	} else {
		kernel.Axpy(m.gates[from+p], m.outs[e].Row(p), m.y.Row(slot/m.K))
	}
}

// slot-for-token: the token of a slot is taken to be the slot modulo T
//
// Why: The slots of a token lie side by side: slot t·k + n is the n-th of token t.
//
// Hint: The token of a slot is slot/k.
func (*Mixture) Forward() {
	if right {
		kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
	} else {
		kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot%x.Rows()))
	}
}

// scatter-overwrites: what an expert made of a token overwrites what another made of it
//
// Why: A token has k experts, whose outputs are a sum.
//
// Hint: Begin with zeros, and add.
func (*Mixture) Forward() {
	if right {
		kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
	} else {
		kernel.ScaleTo(m.y.Row(slot/m.K), m.gates[slot], m.outs[e].Row(p))
	}
}

// output-not-cleared: the outputs are added to those of the Forward before
//
// Why: y is used again, and holds the last result.
//
// Hint: y.Zero() before the first expert.
func (*Mixture) Forward() {
	if right {
		m.y.Zero()
	} else {
	}
}

// stale-expert: an expert that nobody chose keeps its tokens of the Forward before
//
// Why: Backward would send back the gradients of tokens that are long gone.
//
// Hint: Note in every Forward which experts were called.
func (*Mixture) Forward() {
	if right {
		m.outs[e] = nil
	} else {
	}
}

// capacity: an expert takes no more than its share of the slots, and drops the rest
//
// Why: Fixed shapes suit some hardware, and cost the dropped tokens their layer. Here no expert has a limit.
//
// Hint: Let an expert have as many tokens as have chosen it.
func (*Mixture) Forward() {
	if right {
		if from, to := m.start[e], m.start[e+1]; from < to {
			m.outs[e] = expert.Forward(m.sorted.SliceRows(from, to))
			for p, slot := range m.order[from:to] {
				kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
			}
		}
	} else {
		if from, to := m.start[e], m.start[e+1]; from < to {
			m.outs[e] = expert.Forward(m.sorted.SliceRows(from, to))
			for p, slot := range m.order[from:to] {
				if p <= len(m.order)/len(m.Experts) {
					kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
				}
			}
		}
	}
}

// gates-are-constants: the gates are treated as constants, so that the router gets no gradient
//
// Why: The gates are the only way by which the loss reaches the router.
//
// Hint: dg = Σ dy·out for every slot, then GatesBackward.
func (*Mixture) Backward() {
	if right {
		m.dGates[slot] = kernel.Dot(row, m.outs[e].Row(p))
	} else {
		m.dGates[slot] = 0
	}
}

// gradient-without-gate: the gradient of an expert's output lacks the gate
//
// Why: y = g·out, so that dout = g·dy.
//
// Hint: Scale the row of dy by the slot's gate.
func (*Mixture) Backward() {
	if right {
		kernel.ScaleTo(m.dOut.Row(from+p), m.gates[slot], row)
	} else {
		copy(m.dOut.Row(from+p), row)
	}
}

// dx-overwritten: what an expert sends back to a token overwrites what another sent
//
// Why: A token was read by k experts: its gradient is a sum.
//
// Hint: Begin with zeros, and add.
func (*Mixture) Backward() {
	if right {
		kernel.Add(row, row, d.Row(p))
	} else {
		copy(row, d.Row(p))
	}
}

// dx-without-router: the gradient of the input lacks the router's part
//
// Why: x was read by the router too, and the gates depend on it.
//
// Hint: Add what the router's Backward returns.
func (*Mixture) Backward() {
	if right {
		kernel.Add(m.dx.Data, m.dx.Data, m.Router.Backward(m.dl).Data)
	} else {
		m.Router.Backward(m.dl)
	}
}

// every-expert-computes: every expert computes every token, and most of it is thrown away
//
// Why: The result is right and the point is lost: a mixture has the parameters of E experts and the work of k.
//
// Hint: Sort the tokens by expert, and give each its own.
func (*Mixture) Forward() {
	if right {
		if from, to := m.start[e], m.start[e+1]; from < to {
			m.outs[e] = expert.Forward(m.sorted.SliceRows(from, to))
			for p, slot := range m.order[from:to] {
				kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
			}
		}
	} else {
		if from, to := m.start[e], m.start[e+1]; from < to {
			expert.Forward(x)
			m.outs[e] = expert.Forward(m.sorted.SliceRows(from, to))
			for p, slot := range m.order[from:to] {
				kernel.Axpy(m.gates[slot], m.outs[e].Row(p), m.y.Row(slot/m.K))
			}
		}
	}
}

// one-by-one: an expert is called for every token by itself
//
// Why: A product of one row reads all of the expert's weights for one token. The sorting is there to share that.
//
// Hint: One call for each expert, with all of its tokens.
func (*Mixture) Forward() {
	if right {
		m.outs[e] = expert.Forward(m.sorted.SliceRows(from, to))
	} else {
		all := tensor.New(to-from, x.Dim(-1))
		for p := range to - from {
			copy(all.Row(p), expert.Forward(m.sorted.SliceRows(from+p, from+p+1)).Data)
		}
		m.outs[e] = all
	}
}

//go:build mistake

package windows

// no-denominator: y is not divided by the sum of the weights
//
// Why: The weights of a query are to sum to 1, as those of a softmax do: y is a mean of values.
//
// Hint: Divide by φ(q)·z + ε.
func (*Linear) Forward() {
	if right {
		sums := l.sums.Row(t)
		kernel.ScaleTo(l.y.Row(t), 1/(sums[c]+epsilon), sums[:c])
	} else {
		copy(l.y.Row(t), l.sums.Row(t)[:c])
	}
}

// no-denominator/quadratic: y is not divided by the sum of the weights in the quadratic form
func Quadratic() {
	if right {
		for t := range n {
			kernel.Scale(1/(kernel.Sum(weights.Row(t))+epsilon), y.Row(t))
		}
	} else {
	}
}

// no-denominator/recurrent: y is not divided by φ(q)·z in the recurrent form
func (*State) Read() {
	if right {
		kernel.Scale(1/(kernel.Dot(s.a, s.Z.Data)+epsilon), y)
	} else {
	}
}

// denominator-not-causal: the denominator is the sum over all keys
//
// Why: A token must not know how many come after it, nor what their keys are. Numerator and denominator are sums over
// the same keys.
//
// Hint: z runs along the text as S does.
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, lead, n, c)
	} else {
		l.y = tensor.ReuseLead(l.y, lead, n, c)
		for t := range l.y.Rows() {
			sum := float32(0)
			for j := range n {
				sum += kernel.Dot(l.a.Row(t), l.b.Row(t/n*n+j))
			}
			l.sums.Row(t)[c] = sum
		}
	}
}

// denominator-not-causal/quadratic: the denominator is the sum over all keys in the quadratic form
func Quadratic() {
	if right {
		kernel.Scale(1/(kernel.Sum(weights.Row(t))+epsilon), y.Row(t))
	} else {
		sum := float32(0)
		for j := range n {
			sum += kernel.Dot(a.Row(t), b.Row(j))
		}
		kernel.Scale(1/(sum+epsilon), y.Row(t))
	}
}

// sums-exclusive: a token does not see its own key
//
// Why: S and z take in the token itself first. The first token would see nothing.
//
// Hint: The diagonal of A is kept.
func upperZero() {
	if right {
		clear(m.Data[i*m.Down:][:m.Cols][i+1:])
	} else {
		clear(m.Data[i*m.Down:][:m.Cols][i:])
	}
}

// sums-exclusive/recurrent: a token does not see its own key in the recurrent form
func (*State) Read() {
	if right {
		for i, b := range s.b {
			kernel.Axpy(b, v, s.S.Row(i))
		}
		kernel.Add(s.Z.Data, s.Z.Data, s.b)
		clear(y)
		for i, a := range s.a {
			kernel.Axpy(a, s.S.Row(i), y)
		}
		kernel.Scale(1/(kernel.Dot(s.a, s.Z.Data)+epsilon), y)
	} else {
		clear(y)
		for i, a := range s.a {
			kernel.Axpy(a, s.S.Row(i), y)
		}
		kernel.Scale(1/(kernel.Dot(s.a, s.Z.Data)+epsilon), y)
		for i, b := range s.b {
			kernel.Axpy(b, v, s.S.Row(i))
		}
		kernel.Add(s.Z.Data, s.Z.Data, s.b)
	}
}

// not-causal: a query sees the keys behind it in its chunk
//
// Why: A text is read from left to right.
//
// Hint: Zeros above the diagonal of A.
func (*Linear) chunkWeights() {
	if right {
		upperZero(w)
	} else {
	}
}

// not-causal/quadratic: a query sees the keys behind it in the quadratic form
func Quadratic() {
	if right {
		upperZero(weights.Matrix())
	} else {
	}
}

// raw-queries: the queries do not go through φ
//
// Why: Weights are φ(q)·φ(k), both positive.
//
// Hint: Phi for q and for k.
func (*Linear) Forward() {
	if right {
		Phi(l.a.Data, q.Data)
	} else {
		copy(l.a.Data, q.Data)
	}
}

// raw-queries/quadratic: the queries do not go through φ in the quadratic form
func Quadratic() {
	if right {
		Phi(a.Data, q.Data)
	} else {
		copy(a.Data, q.Data)
	}
}

// raw-queries/recurrent: the queries do not go through φ in the recurrent form
func (*State) Read() {
	if right {
		Phi(s.a, q)
	} else {
		copy(s.a, q)
	}
}

// raw-keys: the keys do not go through φ
//
// Why: Weights are φ(q)·φ(k), both positive.
//
// Hint: Phi for q and for k.
func (*Linear) Forward() {
	if right {
		Phi(l.b.Data, k.Data)
	} else {
		copy(l.b.Data, k.Data)
	}
}

// raw-keys/recurrent: the keys do not go through φ in the recurrent form
func (*State) Read() {
	if right {
		Phi(s.b, k)
	} else {
		copy(s.b, k)
	}
}

// past-forgotten: a chunk does not see the chunks before it
//
// Why: What came before lies in S and z.
//
// Hint: φ(q)·S of what came before, and A·v of the chunk.
func (*Linear) Forward() {
	if right {
		tensor.Mul(num, o.of(l.a), s1)
		tensor.MulAdd(num, w, o.of(l.v1))
	} else {
		_ = s1
		tensor.Mul(num, w, o.of(l.v1))
	}
}

// chunk-forgotten: a token sees only the chunks before its own
//
// Why: What lies in S came before the chunk. Inside it every query meets the keys up to its own.
//
// Hint: φ(q)·S of what came before, and A·v of the chunk.
func (*Linear) Forward() {
	if right {
		tensor.Mul(num, o.of(l.a), s1)
		tensor.MulAdd(num, w, o.of(l.v1))
	} else {
		_ = w
		tensor.Mul(num, o.of(l.a), s1)
	}
}

// chunk-twice: the chunk is in S already when its queries read it
//
// Why: S is what came before the chunk: its own keys, and those behind a query, come by way of A.
//
// Hint: First read S, then add the chunk.
func (*Linear) Forward() {
	if right {
		tensor.Mul(num, o.of(l.a), s1)
	} else {
		after := tensor.New(s1.Rows, s1.Cols).Matrix()
		tensor.Copy(after, s1)
		tensor.MulAdd(after, o.of(l.b).T(), o.of(l.v1))
		tensor.Mul(num, o.of(l.a), after)
	}
}

// last-chunk-only: S holds the chunk before alone
//
// Why: S is the sum over everything before.
//
// Hint: S goes on from chunk to chunk.
func (*Linear) Forward() {
	if right {
		tensor.Copy(next, s1)
	} else {
		_ = s1
	}
}

// texts-mix: S goes on from one leading index to the next
//
// Why: Every head of every text begins with S = 0.
//
// Hint: Set S and z to zero at the beginning of every text.
func (*Linear) Forward() {
	if right {
		if !o.last {
			next := l.states.MatrixAt(at + 1)
			tensor.Copy(next, s1)
			tensor.MulAdd(next, o.of(l.b).T(), o.of(l.v1))
		}
	} else {
		if at+1 < l.states.Matrices() {
			next := l.states.MatrixAt(at + 1)
			tensor.Copy(next, s1)
			tensor.MulAdd(next, o.of(l.b).T(), o.of(l.v1))
		}
	}
}

// states-go-on: S of the last call is added to
//
// Why: A tensor that is used again holds what it held.
//
// Hint: Every text begins with S = 0.
func (*Linear) Forward() {
	if right {
		l.states.Zero()
	} else {
	}
}

// epsilon-missing: ε is left out
//
// Why: Where all φ are tiny, ε is what keeps y from being a quotient of two roundings.
//
// Hint: Σ A + ε, with ε = 10⁻⁶.
const epsilon = 0

// epsilon-large: ε is 10⁻⁵, that of RMSNorm
//
// Why: Here it is 10⁻⁶, beside a sum and not a mean.
//
// Hint: ε = 10⁻⁶.
const epsilon = 1e-5

// values-in-denominator: the denominator is the sum of the values' weights in one column
//
// Why: The denominator is what v = 1 would give: φ(q)·z.
//
// Hint: A column of ones beside v, and not another column of v.
func withOnes() {
	if right {
		row[c] = 1
	} else {
		row[c] = 1 + row[0]
	}
}

// tail-left-out: tokens behind the last full chunk are left out
//
// Why: Chunks need not divide N.
//
// Hint: The last chunk has N − first tokens.
func (*Linear) Forward() {
	if right {
		l.states = tensor.Reuse(l.states, q.Matrices(), (n+chunk-1)/chunk, width, c+1)
	} else {
		l.states = tensor.Reuse(l.states, q.Matrices(), n/chunk, width, c+1)
	}
}

// one-chunk: there is one chunk, whatever was asked for
//
// Why: That is the quadratic form: all pairs. What linear attention is for is N·J.
//
// Hint: Chunk tokens at a time.
func chunkOf() {
	if right {
		return max(1, min(wanted, n))
	} else {
		_ = wanted
		return max(1, n)
	}
}

// any-mask: a mask with entries is accepted, and not followed
//
// Why: S and z hold everything before; nothing of it can be hidden from one query and not from another.
//
// Hint: Refuse a mask that has an Attend.
func (*Linear) Forward() {
	if right {
		if l.Chunk < 0 || mask != nil && len(mask.Attend) > 0 {
			op := fmt.Sprintf("Linear.Forward: chunks of %d tokens, and no mask but the causal one: q", l.Chunk)
			panic(tensor.ShapeError{Op: op, Got: q.Shape})
		}
	} else {
		if l.Chunk < 0 {
			op := fmt.Sprintf("Linear.Forward: chunks of %d tokens, and no mask but the causal one: q", l.Chunk)
			panic(tensor.ShapeError{Op: op, Got: q.Shape})
		}
	}
}

// weights-not-divided: Weights returns A, whose rows do not sum to 1
//
// Why: They are what a query takes of every value: y = weights·v.
//
// Hint: Divide every row by its sum plus ε.
func (*Linear) Weights() {
	if right {
		kernel.Scale(1/(kernel.Sum(row)+epsilon), row)
	} else {
		_ = row
	}
}

// z-stays: z does not grow
//
// Why: z is the sum of φ(k), and the denominator is made of it.
//
// Hint: z += φ(k), as S += φ(k)·vᵀ.
func (*State) Read() {
	if right {
		kernel.Add(s.Z.Data, s.Z.Data, s.b)
	} else {
		copy(s.Z.Data, s.b)
	}
}

// s-forgets: S holds the last token alone
//
// Why: S is a sum along the text.
//
// Hint: S += φ(k)·vᵀ.
func (*State) Read() {
	if right {
		kernel.Axpy(b, v, s.S.Row(i))
	} else {
		kernel.ScaleTo(s.S.Row(i), b, v)
	}
}

// y-added: what is found is added to what y held
//
// Why: y is overwritten.
//
// Hint: Clear y first.
func (*State) Read() {
	if right {
		clear(y)
	} else {
	}
}

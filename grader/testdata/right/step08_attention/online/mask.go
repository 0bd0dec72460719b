package attention

type Mask struct {
	N, M   int
	Attend []bool
}

func Causal(n int) *Mask {
	m := &Mask{N: n, M: n}
	for i := range n * n {
		m.Attend = append(m.Attend, i/n >= i%n)
	}
	return m
}

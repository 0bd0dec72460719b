package attention

type Mask struct {
	N, M   int
	Attend []bool
}

func Causal(n int) *Mask {
	attend := make([]bool, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			attend[i*n+j] = true
		}
	}
	return &Mask{n, n, attend}
}

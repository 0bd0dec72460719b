//go:build unlisted

package softmax

// online-sum: maximum and sum in one walk, in float64, and a second walk for the quotients
//
// Why: e^(x−m)/S with the running maximum (Milakov and Gimelshein); −Inf rows are zeros, NaN and +Inf rows NaN.
func expShifted(y, x []float32) (shift, sum float32) {
	m, s := math.Inf(-1), 0.0
	for _, v := range x {
		switch w := float64(v); {
		case math.IsInf(w, -1):
		case w > m && !math.IsInf(w, 1):
			s = s*math.Exp(m-w) + 1
			m = w
		case math.IsInf(w, 1) || math.IsNaN(w):
			if !math.IsNaN(m) {
				m = w
			}
			s = math.NaN()
		default:
			s += math.Exp(w - m)
		}
	}
	if math.IsInf(m, -1) {
		m = 0
	}
	for i, v := range x {
		y[i] = float32(math.Exp(float64(v) - m))
		if math.IsNaN(s) {
			y[i] = float32(s)
		}
	}
	return float32(m), float32(s)
}

// backward-in-two-walks: first the products p·dy, then their sum is taken off
//
// Why: p·dy − p·Σ p·dy is the same number.
func backwardRow(dx, y, dy []float32) {
	dot := 0.0
	for i, p := range y {
		dx[i] = p * dy[i]
		dot += float64(dx[i])
	}
	for i, p := range y {
		dx[i] -= float32(float64(p) * dot)
	}
}

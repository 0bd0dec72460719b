//go:build unlisted

package rope

import "math/cmplx"

// complex-numbers: each pair is a complex number, multiplied by the turn
//
// Why: (a + bi)·(cos + i·sin) is the rotation, the conjugate turns back.
func rotate(y, x, cos, sin []float32) {
	for k := range cos {
		z := complex(x[2*k], x[2*k+1]) * complex(cos[k], sin[k])
		y[2*k], y[2*k+1] = real(z), imag(z)
	}
}

func rotateBack(dx, dy, cos, sin []float32) {
	for k := range cos {
		z := complex128(complex(dy[2*k], dy[2*k+1])) * cmplx.Conj(complex128(complex(cos[k], sin[k])))
		dx[2*k], dx[2*k+1] = float32(real(z)), float32(imag(z))
	}
}

package kernel

// strip is one horizontal strip of a product: at most MR rows of C, and any number of columns, which are taken NR at a
// time. All strides count elements.
//
//	C[i,j] = Σ_p A[i,p] · B[p,j]     0 ≤ i < rows, 0 ≤ j < cols, 0 ≤ p < k
//	A[i,p] = a[i·rowA + p·stepA]
//	B[p,j] = b[(j div NR)·panelB + p·stepB + j mod NR]
//	C[i,j] = c[i·rowC + j]
//
// These strides describe a packed operand as well as the caller's own, transposed or not; only a transposed B has to be
// packed, since a row of B must be contiguous. The assembly reads the fields by name (go_asm.h).
type strip struct {
	rows, cols, k int
	a             []float32
	rowA, stepA   int
	b             []float32
	stepB, panelB int
	c             []float32
	rowC          int
	ahead         *float32 // what the caches may fetch meanwhile, for whoever reads A once and from far away; or nil
	keep          int      // -1 to add to C, 0 to overwrite it: a bit mask over C's old value
}

func (s *strip) setAccumulate(accumulate bool) {
	s.keep = 0
	if accumulate {
		s.keep = -1
	}
}

// runPortable is the strip in plain Go with tiles of 4×4, the reference for the others and the fallback.
func (s *strip) runPortable() {
	const mr, nr = 4, 4
	for j := 0; j < s.cols; j += nr {
		b := s.b[j/nr*s.panelB:]
		if s.rows == mr && j+nr <= s.cols {
			s.tile4x4(b, s.c[j:])
			continue
		}
		for i := range s.rows {
			for jj := range min(nr, s.cols-j) {
				s.element(s.a[i*s.rowA:], b[jj:], &s.c[i*s.rowC+j+jj])
			}
		}
	}
}

// element computes one element of C.
func (s *strip) element(a, b []float32, c *float32) {
	var sum float32
	for p := range s.k {
		sum += a[p*s.stepA] * b[p*s.stepB]
	}
	if s.keep != 0 {
		sum += *c
	}
	*c = sum
}

// tile4x4 computes a full tile in two halves of two rows, since sixteen sums do not fit the registers of every machine.
func (s *strip) tile4x4(b, c []float32) {
	s.tile2x4(s.a, b, c)
	s.tile2x4(s.a[2*s.rowA:], b, c[2*s.rowC:])
}

func (s *strip) tile2x4(a, b, c []float32) {
	var s00, s01, s02, s03, s10, s11, s12, s13 float32
	row0, row1 := a, a[s.rowA:]
	k, stepA, stepB := s.k, s.stepA, s.stepB
	for i, j := 0, 0; k > 0; k-- {
		x0, x1 := row0[i], row1[i]
		y := b[j : j+4 : j+4]
		s00 += x0 * y[0]
		s01 += x0 * y[1]
		s02 += x0 * y[2]
		s03 += x0 * y[3]
		s10 += x1 * y[0]
		s11 += x1 * y[1]
		s12 += x1 * y[2]
		s13 += x1 * y[3]
		i, j = i+stepA, j+stepB
	}
	s.store4(c, s00, s01, s02, s03)
	s.store4(c[s.rowC:], s10, s11, s12, s13)
}

func (s *strip) store4(c []float32, x0, x1, x2, x3 float32) {
	c = c[:4:4]
	if s.keep != 0 {
		x0, x1, x2, x3 = x0+c[0], x1+c[1], x2+c[2], x3+c[3]
	}
	c[0], c[1], c[2], c[3] = x0, x1, x2, x3
}

//go:build !portable

package kernel

// NEON is part of every arm64 processor that Go runs on.
func best() isa        { return neon }
func supported() []isa { return []isa{neon, portable} }

// run computes the strip with the given instruction set. The columns that do not fill a tile of NEON's are computed one
// element at a time.
func (s *strip) run(with isa) {
	if with != neon {
		s.runPortable()
		return
	}
	_, nr := with.tile()
	tiles := s.cols / nr
	if tiles > 0 {
		stripNeon(s, tiles)
	}
	for j := tiles * nr; j < s.cols; j++ {
		for i := range s.rows {
			s.element(s.a[i*s.rowA:], s.b[tiles*s.panelB+j%nr:], &s.c[i*s.rowC+j])
		}
	}
}

//go:noescape
func stripNeon(s *strip, tiles int)

func hasBF16() bool { return false }

func pairRowFast(dst, x []float32) int { return 0 }

func pairRowsFast(dst, x, y []float32) int { return 0 }

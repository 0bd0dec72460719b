package windows

import "github.com/stubformer/stubformer/reference/tensor"

// upperZero clears what stands above the diagonal.
func upperZero(m tensor.Matrix) {
	for i := range m.Rows {
		for j := i + 1; j < m.Cols; j++ {
			m.Set(0, i, j)
		}
	}
}

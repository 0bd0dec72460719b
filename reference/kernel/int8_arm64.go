//go:build !portable

package kernel

// int8RowsFast sums the first groups of every row, and says of how many.
func int8RowsFast(s isa, y []float32, w, x Int8s) (groups int) {
	if groups = x.wholeGroups(); groups == 0 || s != neon {
		return 0
	}
	for i := range y {
		row := w.row(i, len(x.Q), len(x.Scale))
		y[i] = dotGroupsNeon(&row.Q[0], &x.Q[0], &row.Scale[0], &x.Scale[0], groups, x.Group/block)
	}
	return groups
}

//go:noescape
func dotGroupsNeon(a, b *int8, scaleA, scaleB *float32, groups, blocks int) float32

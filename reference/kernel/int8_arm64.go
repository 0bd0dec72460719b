package kernel

// dotGroupsFast is the dot product of the first groups of two rows, and says of how many.
func dotGroupsFast(s isa, a, b Int8s) (sum float32, groups int) {
	groups = a.wholeGroups()
	if groups == 0 || s != neon {
		return 0, 0
	}
	return dotGroupsNeon(&a.Q[0], &b.Q[0], &a.Scale[0], &b.Scale[0], groups, a.Group/block), groups
}

//go:noescape
func dotGroupsNeon(a, b *int8, scaleA, scaleB *float32, groups, blocks int) float32

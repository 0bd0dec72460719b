package kernel

import "golang.org/x/sys/cpu"

// dotGroupsFast is the dot product of the first groups of two rows, and says of how many.
func dotGroupsFast(s isa, a, b Int8s) (sum float32, groups int) {
	groups = a.wholeGroups()
	switch {
	case groups == 0 || s < avx2:
		return 0, 0
	case s == avx512 && cpu.X86.HasAVX512VNNI && cpu.X86.HasAVX512VL:
		return dotGroupsVNNI(&a.Q[0], &b.Q[0], &a.Scale[0], &b.Scale[0], groups, a.Group/block), groups
	}
	return dotGroups256(&a.Q[0], &b.Q[0], &a.Scale[0], &b.Scale[0], groups, a.Group/block), groups
}

//go:noescape
func dotGroups256(a, b *int8, scaleA, scaleB *float32, groups, blocks int) float32

//go:noescape
func dotGroupsVNNI(a, b *int8, scaleA, scaleB *float32, groups, blocks int) float32

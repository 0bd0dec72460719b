//go:build !linux

package stint

// members knows nothing on this system: a program has its limit on the clock.
func members(int) []int { return nil }

func threadsOf([]int) map[int]thread { return nil }

package fma

import "golang.org/x/sys/cpu"

// loop returns the widest loop that the machine can run, and how many
// floating-point operations one round of it makes: registers × lanes × 2.
func loop() (run func(n int), perRound int) {
	switch {
	case cpu.X86.HasAVX512F:
		return loop512, 24 * 16 * 2
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return loop256, 12 * 8 * 2
	}
	return nil, 0
}

//go:noescape
func loop512(n int)

//go:noescape
func loop256(n int)

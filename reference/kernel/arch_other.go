//go:build (!amd64 && !arm64) || portable

package kernel

func best() isa          { return portable }
func supported() []isa   { return []isa{portable} }
func (s *strip) run(isa) { s.runPortable() }

func hasBF16() bool { return false }

func pairRowFast(dst, x []float32) int { return 0 }

func pairRowsFast(dst, x, y []float32) int { return 0 }

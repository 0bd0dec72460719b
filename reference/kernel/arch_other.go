//go:build !amd64 && !arm64

package kernel

func best() isa          { return portable }
func supported() []isa   { return []isa{portable} }
func (s *strip) run(isa) { s.runPortable() }

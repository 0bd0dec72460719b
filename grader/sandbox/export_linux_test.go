package sandbox

// Unrooted returns a box in which a command has the root folder of the system, as where
// root may not change it.
func (b *Box) Unrooted() *Box {
	own := *b
	own.own.Rooted = false
	return &own
}

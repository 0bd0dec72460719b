package sandbox

// closeFrom does nothing: on Windows a program gets the handles that are named.
func closeFrom(int) error { return nil }

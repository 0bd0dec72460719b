package terminal

import "golang.org/x/sys/windows"

// sequences makes a console do what a sequence says, which it does for a program that asks
// alone, and reports whether it will.
func sequences(fd uintptr) bool {
	const wanted = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	console, mode := windows.Handle(fd), uint32(0)
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return mode&wanted == wanted || windows.SetConsoleMode(console, mode|wanted) == nil
}

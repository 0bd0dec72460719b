//go:build !unix

package scratch

// runnable says why a program that is made in a folder could not be run: here every
// file that is called a program can be.
func runnable(string) error { return nil }

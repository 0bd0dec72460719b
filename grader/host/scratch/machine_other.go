//go:build !linux

package scratch

import "os"

// machine names the computer, whose processes all see each other's locks; empty
// where that cannot be told.
func machine() string {
	name, _ := os.Hostname()
	return name
}

//go:build !unix

package bench

import "os"

// Here a process cannot be stopped: the threads of a peer that wait in a loop
// may slow the others for a moment.
func pause(*os.Process) error { return nil }

func resume(*os.Process) error { return nil }

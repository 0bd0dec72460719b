package stint

import (
	"os"
	"testing"
)

// session is this process, with all that it has started.
func session(*testing.T) int { return os.Getpid() }

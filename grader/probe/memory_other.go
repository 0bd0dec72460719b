//go:build !linux

package probe

import (
	"runtime"

	"github.com/stubformer/stubformer/grader/lang"
)

// limited returns c itself: no limit of this system holds Go's memory.
func limited(c Command, _ int64) (path string, args []string) { return c.Path, c.Args }

func memoryCapability() Capability {
	return Capability{lang.T("memory limit"), false, lang.T("%s has no limit that fits; Go's own soft limit applies (GOMEMLIMIT)", runtime.GOOS)}
}

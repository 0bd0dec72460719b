package workspace

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
)

// Of every package of the standard library it is said whether a step may use it, and
// if it may not, why. A new version of Go may bring one of which nobody has thought.
func TestEveryPackageIsThoughtOf(t *testing.T) {
	list, err := exec.Command("go", "list", "std").Output()
	require.NoError(t, err)
	allowed, unknown := course.Computing(), standard("maths")
	for path := range strings.FieldsSeq(string(list)) {
		if strings.Contains("/"+path+"/", "/internal/") || strings.HasPrefix(path, "vendor/") {
			continue
		}
		why := standard(path)
		require.True(t, allowed.Package(path) || why.String() != unknown.String(),
			"%s stands neither in course.Computing nor among what standard refuses for a reason", path)
	}
}

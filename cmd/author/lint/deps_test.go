package lint_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course/registry"
)

// What a newcomer waits for before the first verdict: the door compiles nothing but the
// standard library, and little of it; what grades holds no server, no archives, no pages and
// nothing of instructors and authors.
func TestWhatGradesIsSmall(t *testing.T) {
	door := dependencies(t, "./cmd/grade")
	require.LessOrEqual(t, len(door), 80, "packages of cmd/grade: %q", door)
	for _, pkg := range door {
		require.False(t, foreign(pkg), "cmd/grade is built on %s", pkg)
	}

	learn := dependencies(t, "./cmd/learn")
	require.LessOrEqual(t, len(learn), 211+len(registry.Steps()), "packages of cmd/learn: %q", learn)
	for _, pkg := range []string{"net", "net/http", "net/url", "crypto/tls", "html/template", "text/template", "archive/tar", "os/user",
		"encoding/xml", "go/printer", "runtime/cgo", module + "/grader/handin", module + "/grader/report/sheet", module + "/grader/studio/train"} {
		require.NotContains(t, learn, pkg)
	}
	libraries := []string{"golang.org/x/net/bpf", "golang.org/x/sys/", "golang.org/x/term", "github.com/clipperhouse/", "github.com/rivo/uniseg", "github.com/elastic/go-seccomp-bpf",
		"github.com/gofrs/flock", "github.com/edsrzf/mmap-go", module}
	for _, pkg := range learn {
		known := slices.ContainsFunc(libraries, func(l string) bool { return strings.HasPrefix(pkg, l) })
		require.True(t, known || !foreign(pkg), "cmd/learn is built on %s", pkg)
		require.False(t, strings.HasPrefix(pkg, module+"/cmd/teach") || strings.HasPrefix(pkg, module+"/cmd/author") || strings.HasPrefix(pkg, module+"/cmd/studio"), pkg)
	}
}

// foreign reports whether a package is no part of the standard library and not the kit's.
func foreign(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return strings.Contains(first, ".") && !strings.HasPrefix(pkg, module)
}

// dependencies are the packages that a program is compiled from.
func dependencies(t *testing.T, program string) []string {
	t.Helper()
	list := exec.Command("go", "list", "-deps", program)
	list.Dir = "../../.."
	out, err := list.Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

package grader_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/report"
)

// TestTogetherAsAlone grades steps that are built together, in some of which something
// goes wrong before the first call. Each has the verdicts, the points and the words that
// it has alone.
func TestTogetherAsAlone(t *testing.T) {
	sweep.Only(t)
	code, points := map[string][]byte{}, map[string]int{}
	for _, s := range []struct {
		folder, name, more string
		points             int
	}{
		{"step01_init", "initializers", "func init() { panic(\"at the start\") }", 0},
		{"step02_linear", "linear", "import \"log\"\n\nvar _ = end()\n\nfunc end() int { log.SetFlags(0); log.Fatal(\"that was it\"); return 0 }", 0},
		{"step03_embedding", "embedding", "var table [490_000_000]int32", 100},
		{"step04_rmsnorm", "rmsnorm", "import \"errors\"\n\nvar errNone = errors.New(\"none\")\n\nvar heap []byte", 100},
		{"step05_swiglu", "swiglu", "var x int = \"none\"", 0},
		{"step06_rope", "rope", "import \"os\"\n\nvar _ = os.Args", 0},
		{"step07_softmax", "softmax", "", 100},
	} {
		files, err := filepath.Glob(filepath.Join("..", "solutions", s.folder, "*.go"))
		require.NoError(t, err)
		for _, path := range files {
			if !strings.HasSuffix(path, "_test.go") {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				code[s.folder+"/"+filepath.Base(path)] = text
			}
		}
		code[s.folder+"/more.go"] = []byte("package " + s.name + "\n\n" + s.more + "\n")
		points[s.folder] = s.points
	}
	// The tables of one and the heap of the other are more than a program may have.
	for path, line := range map[string]string{"step03_embedding/embedding.go": "table[len(ids)]++", "step04_rmsnorm/rmsnorm.go": "if heap == nil { heap = make([]byte, 300<<20) }"} {
		before, after, found := bytes.Cut(code[path], []byte(") Forward("))
		require.True(t, found)
		head, body, _ := bytes.Cut(after, []byte("{\n"))
		code[path] = fmt.Appendf(nil, "%s) Forward(%s{\n%s\n%s", before, head, line, body)
	}

	dir := handedIn(t, code)
	var steps []*course.Step
	for _, s := range registry.Steps() {
		if _, ok := points[s.Folder]; ok {
			steps = append(steps, s)
		}
	}
	together := grade(t, grader.Request{Steps: steps, HandedIn: dir, Seed: 5})
	for i, s := range steps {
		alone := grade(t, grader.Request{Steps: steps[i : i+1], HandedIn: dir, Seed: 5})
		require.Equal(t, untimed(alone.Steps[0]), untimed(together.Steps[i]), s.ID)
		require.Equal(t, points[s.Folder], *together.Steps[i].Score, s.ID)
	}
}

func untimed(s report.Step) report.Step {
	for i := range s.Checks {
		s.Checks[i].Seconds, s.Checks[i].Failure = 0, nil
	}
	return s
}

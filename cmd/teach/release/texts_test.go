package release

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course/registry"
)

// The texts of a student edition name no solution and no command that it does not
// have; those of the others say what they said.
func TestTextsOfAStudentEdition(t *testing.T) {
	students := written(t, Options{Steps: registry.Steps(), WithoutSolutions: true})
	for name, text := range students {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		require.Empty(t, kept.FindAllString(string(text), -1), name)
		require.NotContains(t, string(text), "<!-- with solutions", name)
		require.Empty(t, dangling(string(text)), name)
	}
	readme := string(students["README.md"])
	require.NotContains(t, readme, "earlier steps are taken from the")
	require.NotContains(t, readme, "## Can you trust it?")
	require.Contains(t, readme, "(docs/commands/README.md)")
	require.NotContains(t, string(students["CURRICULUM.md"]), "The solutions lie beside the stubs")
	require.Contains(t, string(students["CURRICULUM.md"]), "**Work together on ideas")
	require.NotContains(t, string(students["CURRICULUM.zh-CN.md"]), "参考解答就在代码骨架旁边")

	forward := written(t, Options{Steps: registry.Steps(), ForwardOnly: true})
	require.Contains(t, string(forward["README.md"]), "earlier steps are taken from the")
	require.Contains(t, string(forward["CURRICULUM.md"]), "--impl solutions")
}

// dangling returns the paragraphs that announce, with a colon, what is not there.
func dangling(text string) []string {
	var found []string
	blocks := strings.Split(text, "\n\n")
	for i, block := range blocks[:len(blocks)-1] {
		announces := strings.HasSuffix(block, ":") || strings.HasSuffix(block, "：")
		next := strings.TrimLeft(blocks[i+1], "\n")
		if announces && (next == "" || !strings.ContainsAny(next[:1], "`-*|>$![<~ 0123456789")) {
			found = append(found, block)
		}
	}
	return found
}

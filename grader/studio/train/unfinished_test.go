package train_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestConversationWith asks about one model with programs whose code is not finished,
// or wrong.
func TestConversationWith(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	sound, err := train.Build(t.Context(), kit, workspace.Solutions(), settings().Model, t.TempDir())
	require.NoError(t, err)
	dir := newRun(t, settings())
	trained(t, sound, dir)
	read := inside.Question{Ask: inside.Read, IDs: []int{1, 2, 3, 4}, Off: []string{"layer1.head1"}}
	look := inside.Question{Ask: inside.Look, IDs: read.IDs, At: 2, Temperature: 1, TopP: 1}
	right := train.Converse(sound, dir, io.Discard)
	defer right.Close()
	known, err := right.Ask(read)
	require.NoError(t, err)

	const model = "step10_lm/lm.go"
	for name, c := range map[string]struct {
		file, behind, line string
		test               func(t *testing.T, c *train.Conversation)
	}{
		"no replica": {model, "func (m *LM) Replica() *LM {\n", `panic(tensor.TODO("step10: LM.Replica"))`,
			func(t *testing.T, c *train.Conversation) {
				answer, err := c.Ask(read)
				require.NoError(t, err)
				require.JSONEq(t, string(known), string(answer))
			}},
		"no norm": {"step04_rmsnorm/rmsnorm.go", "func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {\n",
			`panic(tensor.TODO("step04: RMSNorm.Forward"))`,
			func(t *testing.T, c *train.Conversation) {
				_, err := c.Ask(read)
				var todo *train.NotImplementedError
				require.ErrorAs(t, err, &todo)
				require.Equal(t, "step04", todo.Step())
			}},
		"a crash of one text": {model, "	x, err := m.Embedding.Forward(ids)\n", `if seq == 3 { x.Data[1<<40] = 0 }`,
			func(t *testing.T, c *train.Conversation) {
				_, err := c.Ask(inside.Question{Ask: inside.Read, IDs: []int{1, 2, 3}})
				var crash *train.CrashError
				require.ErrorAs(t, err, &crash)
				require.Contains(t, err.Error(), "step10_lm/lm.go:")
				_, err = c.Ask(read)
				require.NoError(t, err, "the next question finds a new program")
			}},
		"something after the blocks": {model, "	m.positions = append(m.positions[:0], m.places[:seq])\n", `x.Data[0] += 1`,
			func(t *testing.T, c *train.Conversation) {
				_, err := c.Ask(read)
				require.NoError(t, err)
				_, err = c.Ask(look)
				require.ErrorContains(t, err, "what happens between the layers cannot be shown")
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			solution, err := os.ReadFile(filepath.Join(kit.Root, "solutions", filepath.FromSlash(c.file)))
			require.NoError(t, err)
			require.Contains(t, string(solution), c.behind)
			changed := strings.Replace(string(solution), c.behind, c.behind+"\t"+c.line+"\n", 1)
			binary, err := kit.Build(t.Context(), workspace.Build{Course: registry.Steps(), Step: "step05_swiglu",
				Package: "grader/programs/train", Sources: sources(t, kit), Overlay: map[string][]byte{c.file: []byte(changed)}}, t.TempDir())
			require.NoError(t, err)
			talk := train.Converse(binary, dir, io.Discard)
			defer talk.Close()
			c.test(t, talk)
		})
	}
	_, err = right.Ask(look)
	require.NoError(t, err)
}

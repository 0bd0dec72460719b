package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A step's folder may be a link to one, and where other code is laid over it there need
// be none.
func TestFoldersThatAreNone(t *testing.T) {
	solved := map[string]Source{"step01_one": Solutions(), "step02_two": Solutions()}
	for name, c := range map[string]struct {
		instead func(t *testing.T, elsewhere, step string) error // of the folder
		sources map[string]Source
		want    string
	}{
		"a link":            {func(_ *testing.T, elsewhere, step string) error { return os.Symlink(elsewhere, step) }, nil, "own two on own one"},
		"nothing, over it":  {func(*testing.T, string, string) error { return nil }, solved, "solution two on solution one"},
		"a file, over it":   {func(_ *testing.T, _, step string) error { return os.WriteFile(step, nil, 0o644) }, solved, "solution two on solution one"},
		"a link, over it":   {func(_ *testing.T, elsewhere, step string) error { return os.Symlink(elsewhere, step) }, solved, "solution two on solution one"},
		"a link to nowhere": {func(_ *testing.T, _, step string) error { return os.Symlink("nowhere", step) }, solved, "solution two on solution one"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t, files{"steps/step01_one/one.go": ownOne, "steps/step02_two/two.go": ownTwo})
			for _, folder := range []string{"step01_one", "step02_two"} {
				step, elsewhere := filepath.Join(k.Root, "steps", folder), filepath.Join(t.TempDir(), folder)
				require.NoError(t, os.CopyFS(elsewhere, os.DirFS(step)))
				require.NoError(t, os.RemoveAll(step))
				if err := c.instead(t, elsewhere, step); err != nil {
					t.Skip(err)
				}
			}
			require.Equal(t, c.want, answer(t, k, Build{Step: "step02_two", Sources: c.sources}))
		})
	}
}

// What is declared in a file that is not compiled here is told as that.
func TestDeclaredInAFileThatIsLeftOut(t *testing.T) {
	k := newKit(t, files{"steps/step01_one/one.go": "package one\n", "steps/step01_one/one_plan9.go": ownOne})
	_, err := tryBuild(t, k, Build{Step: "step01_one"})
	require.ErrorContains(t, err, "your code has no Name.")
	require.ErrorContains(t, err, "The one in one_plan9.go is not compiled here: the name one_plan9.go says on which systems")
}

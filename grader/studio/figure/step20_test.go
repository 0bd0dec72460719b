package figure

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTranslation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.json")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write(`{"source": "a ", "target": "灯", "attention": [[[[1, 0], [0.5, 0.5]], [[0.5, 0.5], [0.25, 0.75]]]]}`)
	c, err := Make(context.Background(), "translation", Options{File: file})
	require.NoError(t, err)
	require.Len(t, c.Panels, 2)
	require.Equal(t, "layer 1, head 2", c.Panels[1].Title)
	h := c.Panels[1].Heat
	require.Equal(t, []string{"a", "·"}, h.Cols)
	require.Equal(t, []string{"灯", "■"}, h.Rows)
	require.Equal(t, [][]float64{{0.5, 0.5}, {0.25, 0.75}}, h.Values)

	write(`{"source": "ab", "target": "灯", "attention": [[[[1, 0]]]]}`)
	_, err = Make(context.Background(), "translation", Options{File: file})
	require.ErrorContains(t, err, "does not belong to a text of 2 characters and one of 1")
	write(`{"source": "ab"}`)
	_, err = Make(context.Background(), "translation", Options{File: file})
	require.ErrorContains(t, err, `holds no "attention"`)
}

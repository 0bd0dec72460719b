package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// page returns a notebook of one paragraph and one cell.
func page(prose, source, outputs string) string {
	return fmt.Sprintf(`{"cells": [
		{"cell_type": "markdown", "source": [%q]},
		{"cell_type": "code", "source": %q, "execution_count": 1, "outputs": [%s]}]}`, prose, source, outputs)
}

const (
	picture = `{"output_type": "display_data", "data": {"image/png": "AAAA"}}`
	printed = `{"output_type": "stream", "name": "stdout", "text": ["loss ", "0.25\n"]}`
	warned  = `{"output_type": "stream", "name": "stderr", "text": "a warning"}`
	failed  = `{"output_type": "error", "evalue": "exit status 2"}`
)

func TestCheck(t *testing.T) {
	sound := page("The loss is 0.25.", "rate := 0.1", printed+","+picture)
	for _, tt := range []struct {
		name, kept, executed string
		want                 string // "" if nothing is wrong
	}{
		{"sound", sound, sound, ""},
		{"the order of text and picture says nothing", sound, page("The loss is 0.25.", "rate := 0.1", picture+","+printed), ""},
		{"a number that stands in the code", page("A rate of 0.1.", "rate := 0.1", picture), page("A rate of 0.1.", "rate := 0.1", picture), ""},
		{"an error", sound, page("The loss is 0.25.", "rate := 0.1", printed+","+failed), "ended in an error: exit status 2"},
		{"standard error", sound, page("The loss is 0.25.", "rate := 0.1", printed+","+picture+","+warned), "standard error: a warning"},
		{"another cell", sound, page("The loss is 0.25.", "rate := 0.2", printed+","+picture), "cell 1 is not the one that was executed"},
		{"a cell more", sound, strings.Replace(sound, `{"cell_type": "m`, `{"cell_type": "markdown"},{"cell_type": "m`, 1), "2 cells are kept and 3 were executed"},
		{"outputs not kept", page("", "", ""), page("", "", picture), "shows nothing and now gives image/png"},
		{"not executed", strings.Replace(sound, `"execution_count": 1`, `"execution_count": null`, 1), sound, "was not executed in its turn"},
		{"no picture", page("", "", printed), page("", "", printed), "shows no picture"},
		{"a number from nowhere", page("The loss is 0.26.", "", printed+","+picture), page("The loss is 0.26.", "", printed+","+picture), "says 0.26, which no cell prints"},
		{"too large", page(strings.Repeat("x", largest), "", picture), page(strings.Repeat("x", largest), "", picture), "keep it below"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.Mkdir("out", 0o755))
			require.NoError(t, os.WriteFile("a.ipynb", []byte(tt.kept), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join("out", "a.ipynb"), []byte(tt.executed), 0o644))
			err := check("out", []string{"a.ipynb"}, false)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestWriteKeepsOnlySoundNotebooks(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("out", 0o755))
	require.NoError(t, os.WriteFile("a.ipynb", []byte("old"), 0o644))

	require.NoError(t, os.WriteFile(filepath.Join("out", "a.ipynb"), []byte(page("", "", failed)), 0o644))
	require.Error(t, check("out", []string{"a.ipynb"}, true))
	kept, err := os.ReadFile("a.ipynb")
	require.NoError(t, err)
	require.Equal(t, "old", string(kept))

	fresh := page("", "", picture)
	require.NoError(t, os.WriteFile(filepath.Join("out", "a.ipynb"), []byte(fresh), 0o644))
	require.NoError(t, check("out", []string{"a.ipynb"}, true))
	kept, err = os.ReadFile("a.ipynb")
	require.NoError(t, err)
	require.Equal(t, fresh, string(kept))
}

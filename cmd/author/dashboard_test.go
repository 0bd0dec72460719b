package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
)

// The dashboard in docs/figures is that of today, but for the time at which it was drawn.
func TestDashboardIsOfToday(t *testing.T) {
	sweep.Only(t)
	out := filepath.Join(t.TempDir(), "dashboard.svg")
	draw := newDevDashboard()
	draw.SetArgs([]string{out})
	require.NoError(t, draw.Execute())
	masked := func(path string) string {
		picture, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(regexp.MustCompile(`\d+ \w{3} \d\d:\d\d`).ReplaceAll(bytes.TrimSpace(picture), []byte("TIME")))
	}
	require.Equal(t, masked(out), masked(filepath.Join("..", "..", "docs", "figures", "dashboard.svg")), "go run ./cmd/grade dev dashboard docs/figures/dashboard.svg draws it")
}

package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAt(t *testing.T) {
	require.Equal(t, []string{"+3", "a.go"}, at("/usr/bin/vim", "a.go", 3))
	require.Equal(t, []string{"--goto", "a.go:3"}, at("code", "a.go", 3))
	require.Equal(t, []string{"a.go"}, at(everywhere("windows"), "a.go", 3))
}

package roofline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLimit(t *testing.T) {
	s := Step{Peak: 100e9, Bandwidth: 10e9}
	for _, c := range []struct {
		o       Operation
		seconds float64
		by      Limit
	}{
		{Operation{FLOPs: 200e9, Bytes: 5e9}, 2, Arithmetic},
		{Operation{FLOPs: 10e9, Bytes: 5e9}, 0.5, Memory},
		{Operation{Bytes: 20e9}, 2, Memory},
	} {
		seconds, by := s.Limit(c.o)
		require.InDelta(t, c.seconds, seconds, 1e-12)
		require.Equal(t, c.by, by)
	}
}

func TestTable(t *testing.T) {
	s := Step{Model: "small", Tokens: 384, DModel: 128, Machine: "a machine", Peak: 100e9, Bandwidth: 10e9, Operations: []Operation{
		{Name: "head: products", Seconds: 0.003, FLOPs: 0.15e9, Bytes: 1e6},
		{Name: "norms", Seconds: 0.001, Bytes: 5e6, Allocations: 2},
	}}
	table := s.Table()
	require.Contains(t, table, "head: products                3000  75.0%      50.0      0.3    50%  arithmetic      0\n")
	require.Contains(t, table, "norms                         1000  25.0%         –      5.0    50%  memory          2\n")
	require.Contains(t, table, "would take 37.5 % of its time")
	require.Equal(t, 9, strings.Count(table, "\n"))
}

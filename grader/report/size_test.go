package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A report of long messages is cut to its largest size, an ordinary one is left
// as it is.
func TestFit(t *testing.T) {
	r := &Report{Schema: Schema}
	for i := range 11 {
		s := Step{ID: fmt.Sprint("step", i), Message: strings.Repeat("<", 8<<10)}
		for range 20 {
			s.Checks = append(s.Checks, Check{Message: strings.Repeat("<&\n", 8<<10)})
		}
		r.Steps = append(r.Steps, s)
	}
	require.NoError(t, r.Fit())
	data, err := json.Marshal(r)
	require.NoError(t, err)
	require.LessOrEqual(t, len(data), MaxSize)
	require.Greater(t, len(data), MaxSize/4, "no more is cut than must be")
	require.Contains(t, r.Steps[0].Checks[0].Message, "more bytes)")

	short := &Report{Steps: []Step{{Message: "损失 0.5", Checks: []Check{{Message: "got 1\n  want 2"}}}}}
	require.NoError(t, short.Fit())
	require.Equal(t, "got 1\n  want 2", short.Steps[0].Checks[0].Message)
}

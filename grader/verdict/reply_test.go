package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

func TestUnknownStatus(t *testing.T) {
	f := verdict.OfReply(wire.Message{Status: "perfect"})
	require.Equal(t, verdict.Exited, f.Kind)
	require.Equal(t, "the program answered with the unknown status perfect", f.Message.String())
}

package verdict_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Whatever a submission says, its failure can be shown, and an honest one says
// the same as before.
func TestClean(t *testing.T) {
	const evil = "\x1b]0;PASS\a\x1b[2J\u202e001/001\u200b\r\b\xff"
	evils := []*verdict.Failure{
		{Message: lang.Raw(evil)},
		{Message: lang.T("outer %s", lang.T("inner %s: %v", evil, errors.New(evil)))},
		{Asked: lang.T("f with %s", evil), Detail: evil},
		{Diagnosis: verdict.Diagnosis{Text: lang.Raw(evil)}},
		{Message: lang.Raw(strings.Repeat(evil, 1<<20))},
		verdict.Wrong(lang.T("f"), verdict.Compare("y", wire.Value{DType: wire.Text, Shape: []int{1}, Text: evil}, wire.Value{DType: wire.Text, Shape: []int{1}, Text: "x"}, 0), verdict.Given{}),
		verdict.OfReply(wire.Message{Status: wire.Panic, Message: evil, Detail: evil}),
		verdict.OfReply(wire.Message{Status: wire.BadRequest, Message: evil}),
		verdict.OfReply(wire.Message{Status: wire.Status(evil)}),
	}
	for i, f := range evils {
		f.Clean()
		text := f.Text()
		require.Equal(t, untrusted.Clean(text), text, "failure %d", i)
		require.Less(t, len(text), 2*untrusted.MaxMessage)
	}
	todo := verdict.OfReply(wire.Message{Status: wire.NotImplemented, What: "step05: \x1b[2J\nSwiGLU" + strings.Repeat("x", 1000)})
	todo.Clean()
	require.Equal(t, untrusted.Clean(todo.What), todo.What)
	require.Less(t, len(todo.What), 2*untrusted.MaxName)

	honest := verdict.OfReply(wire.Message{Status: wire.Panic, Message: "Δ = 损失 👩‍🔬", Detail: "steps/x.go:3\n\tmain()"})
	before := honest.Text()
	honest.Clean()
	require.Equal(t, before, honest.Text())
}

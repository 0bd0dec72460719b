package terminal_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/stubformer/stubformer/grader/host/terminal"
)

// A console colours nothing until it is asked to.
func TestLiveConsole(t *testing.T) {
	console, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this is run without a console")
	}
	defer console.Close()
	const plain = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_WRAP_AT_EOL_OUTPUT
	require.NoError(t, windows.SetConsoleMode(windows.Handle(console.Fd()), plain))
	require.True(t, terminal.Live(console, os.Getenv))
	var mode uint32
	require.NoError(t, windows.GetConsoleMode(windows.Handle(console.Fd()), &mode))
	require.EqualValues(t, plain|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING, mode)
}

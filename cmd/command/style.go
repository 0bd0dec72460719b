package command

import (
	"io"
	"os"

	"github.com/stubformer/stubformer/grader/host/terminal"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
)

// StyleFor uses colour and signs on a terminal only, and never against --plain.
func StyleFor(w io.Writer, plain bool, p lang.Printer) report.Style {
	return report.Style{
		Colour: !plain && terminal.Coloured(w, os.Getenv),
		Signs:  !plain && terminal.Is(w) && !terminal.Plain(os.Getenv),
		Lang:   p,
	}
}

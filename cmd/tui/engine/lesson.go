package engine

import (
	"os"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/glamour"
	"github.com/charmbracelet/glamour/ansi"
	"github.com/charmbracelet/glamour/styles"

	"github.com/stubformer/stubformer/cmd/tui/standing"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course"
)

// Lesson is a step's lesson, rendered for a width.
type Lesson struct {
	Step  string
	Width int
	Text  string
	Err   error
}

// Lesson reads and renders the lesson of a step.
func (e *Engine) Lesson(step *course.Step, t theme.Theme, width int) tea.Cmd {
	return e.during(func() tea.Msg {
		l := Lesson{Step: step.ID, Width: width}
		data, err := os.ReadFile(filepath.Join(e.kit.Root, "steps", step.Folder, "README.md"))
		if err == nil {
			l.Text, err = render(string(data), t, width)
		}
		l.Err = err
		return l
	})
}

// render renders Markdown for a terminal.
func render(markdown string, t theme.Theme, width int) (string, error) {
	r, err := glamour.NewTermRenderer(glamour.WithStyles(look(t)), glamour.WithWordWrap(width))
	if err != nil {
		return "", err
	}
	text, err := r.Render(markdown)
	return strings.Trim(text, "\n"), err
}

// Compared holds a student's files beside the solution's.
type Compared struct {
	Step  string
	Files []standing.Pair
	Err   error
}

// Compare reads the files of a step and of its solution.
func (e *Engine) Compare(step *course.Step, files []string) tea.Cmd {
	return e.during(func() tea.Msg {
		c := Compared{Step: step.ID}
		for _, name := range files {
			mine, err := os.ReadFile(filepath.Join(e.kit.Root, "steps", step.Folder, name))
			if err != nil {
				c.Err = err
				break
			}
			solution, err := os.ReadFile(filepath.Join(e.kit.Root, "solutions", step.Folder, name))
			if err != nil {
				c.Err = err
				break
			}
			c.Files = append(c.Files, standing.Pair{Name: name, Mine: string(mine), Solution: string(solution)})
		}
		return c
	})
}

// look is how a lesson looks. Where there is colour, headings need no signs.
func look(t theme.Theme) ansi.StyleConfig {
	style := styles.LightStyleConfig
	switch {
	case !t.Colour:
		return styles.NoTTYStyleConfig
	case t.Dark:
		style = styles.DarkStyleConfig
	}
	bold, underlined := true, true
	style.H1.Prefix, style.H2.Prefix, style.H3.Prefix, style.H4.Prefix = " ", "", "", ""
	style.H2.Bold, style.H2.Underline, style.H3.Bold = &bold, &underlined, &bold
	return style
}

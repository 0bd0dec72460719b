package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/glamour"
	"github.com/charmbracelet/glamour/ansi"
	"github.com/charmbracelet/glamour/styles"
	xansi "github.com/charmbracelet/x/ansi"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/derive"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/newline"
)

// Lesson is a step's lesson, rendered for a width.
type Lesson struct {
	Step  string
	Width int
	Text  string
	Err   error
}

// Lesson reads and renders the lesson of a step, in the language of p if there
// is one.
func (e *Engine) Lesson(step *course.Step, t theme.Theme, p lang.Printer, width int) tea.Cmd {
	return e.during(func() tea.Msg {
		l := Lesson{Step: step.ID, Width: width}
		folder := filepath.Join(e.kit.Root, "steps", step.Folder)
		data, err := os.ReadFile(filepath.Join(folder, p.Say("README.md")))
		if errors.Is(err, fs.ErrNotExist) {
			data, err = os.ReadFile(filepath.Join(folder, "README.md"))
		}
		if err == nil {
			lesson := derive.Hidden(newline.Unix(string(data)), p.Say("*Derive it on paper first. The lesson's file has it, folded, and so has the last hint.*"))
			if step.Of != nil {
				lesson = step.Part.LessonSection(lesson)
			}
			l.Text, err = render(links(elsewhere.ReplaceAllString(lesson, ""), step.Folder), t, width)
		}
		l.Err = err
		return l
	})
}

// elsewhere matches the line that leads to the lesson in another language.
var elsewhere = regexp.MustCompile(`(?m)^\[[^\]]+\]\(README[^)]*\)\r?\n`)

// render renders a lesson for a terminal.
func render(markdown string, t theme.Theme, width int) (string, error) {
	markdown = strings.ReplaceAll(markdown, "\t", "    ")
	options := []glamour.TermRendererOption{glamour.WithStyles(look(t)), glamour.WithWordWrap(width - hanging)}
	const margins = 4
	if folded, changed := fold(markdown, width-hanging-margins); changed {
		markdown, options = folded, append(options, glamour.WithPreservedNewLines())
	}
	r, err := glamour.NewTermRenderer(options...)
	if err != nil {
		return "", err
	}
	text, err := r.Render(markdown)
	text = broken(hangItems(strings.Trim(text, "\n")))
	return xansi.Hardwrap(text, width, true), err // the renderer may be one column out
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
// Where there is none, bold words have none either: the renderer would put stars
// around every part of a formula that has a _ in it.
func look(t theme.Theme) ansi.StyleConfig {
	style := styles.LightStyleConfig
	switch {
	case !t.Colour:
		style = styles.NoTTYStyleConfig
		style.Strong, style.Emph = ansi.StylePrimitive{}, ansi.StylePrimitive{}
		return style
	case t.Dark:
		style = styles.DarkStyleConfig
	}
	bold, underlined := true, true
	style.H1.Prefix, style.H2.Prefix, style.H3.Prefix, style.H4.Prefix = " ", "", "", ""
	style.H2.Bold, style.H2.Underline, style.H3.Bold = &bold, &underlined, &bold
	return style
}

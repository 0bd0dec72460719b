package film

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// draw returns the picture of some scenes, which must be well-formed.
func draw(t *testing.T, scenes ...Scene) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, Write(&b, "a <title>", scenes))
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		require.NoError(t, err)
	}
}

func TestWrite(t *testing.T) {
	svg := draw(t,
		Scene{Command: "grade step05", Hold: time.Second, Lines: []Line{
			{Text: "  \x1b[32m✓ passed\x1b[0m  5/5 <a&b>"}, {Text: strings.Repeat("x", Columns+1)}}},
		Scene{Command: "train", Hold: time.Second, Lines: []Line{{Text: "step 1", At: time.Second}, {Text: "step 2", At: 2 * time.Second}}})
	require.Contains(t, svg, "a &lt;title&gt;")
	require.Contains(t, svg, `class="good">✓ passed</text>`)
	require.Contains(t, svg, `class="">5/5 &lt;a&amp;b&gt;</text>`)
	require.Contains(t, svg, ">"+strings.Repeat("x", Columns)+"<", "a line that is too wide goes on below")
	require.Contains(t, svg, ">x<")
	require.NotContains(t, svg, "\x1b")
	require.Contains(t, svg, `class="shown first"`, "the first scene is what stands without motion")
	require.Equal(t, 1, strings.Count(svg, `"shown first"`))
	require.NotContains(t, svg, "translateY", "nothing scrolls")
	column := fmt.Sprintf(`x="%g"`, margin+2*charWide)
	require.Contains(t, svg, column, "what is indented begins at its column")
}

// What is shown follows one clock: the command is typed, the lines come at their times,
// and the next scene begins when the last has stood as long as it should.
func TestClock(t *testing.T) {
	one := Scene{Command: "ab", Hold: 3 * time.Second, Lines: []Line{{Text: "x", At: time.Second}}}
	require.Equal(t, 2*breath+2*keyEvery+4*time.Second, one.length())
	svg := draw(t, one, one)
	whole := 2 * one.length()
	for name, at := range map[string]time.Duration{"the second scene": one.length(), "its line": one.length() + one.typed() + time.Second} {
		require.Contains(t, svg, fmt.Sprintf("%.3f%% { visibility: visible }", 100*at.Seconds()/whole.Seconds()), name)
	}
	opens := -(one.typed() + time.Second) // the first scene is whole
	require.Equal(t, 4, strings.Count(svg, fmt.Sprintf(" %gs step-end %gs infinite", whole.Seconds(), opens.Seconds())), "two scenes, and a line in each")
}

// A screen that is full scrolls a row for every line that comes.
func TestScroll(t *testing.T) {
	s := Scene{Command: "train", Hold: time.Second}
	for i := range Rows {
		s.Lines = append(s.Lines, Line{Text: fmt.Sprint("line ", i), At: time.Duration(i) * time.Second})
	}
	svg := draw(t, s)
	moves := regexp.MustCompile(`translateY\(-([\d.]+)px\)`).FindAllStringSubmatch(svg, -1)
	require.Len(t, moves, above)
	require.Equal(t, fmt.Sprint(lineHigh), moves[0][1])
	require.Equal(t, fmt.Sprint(above*lineHigh), moves[1][1])
}

func TestPieces(t *testing.T) {
	require.Equal(t, []piece{{"a", ""}, {"bc", "bold"}, {"d", "bad"}, {"é語", ""}}, pieces("a\x1b[1mbc\x1b[0m\x1b[31md\x1b[0m\x1b[Ké語\r"))
	require.Empty(t, pieces(""))
}

// A still shows one screen from the first moment on, as large as it is.
func TestStill(t *testing.T) {
	var b strings.Builder
	require.NoError(t, Still(&b, "map", []string{"one", "\x1b[7mchosen\x1b[0m \x1b[33mtwo\x1b[0m"}))
	svg := b.String()
	require.NoError(t, xml.Unmarshal([]byte(svg), new(struct{})))
	require.Contains(t, svg, fmt.Sprintf(`width="%g" height="%g"`, 2*margin+10*charWide, 2*margin+2*lineHigh))
	require.Contains(t, svg, `class="chosen">chosen</text>`)
	require.Contains(t, svg, `class="warn">two</text>`)
	require.Contains(t, svg, `<rect class="row"`)
	require.NotContains(t, svg, "@keyframes")
}

package engine

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	xansi "github.com/charmbracelet/x/ansi"

	"github.com/stubformer/stubformer/grader/lang"
)

// link matches a link or a picture; or a piece of code, which holds none.
var link = regexp.MustCompile("`[^`\n]+`|" + `(!?)\[([^\]\[]+)\]\(((?:https?:|\.{1,2}/|[\w./-]+\.md)[^)\s]*)\)`)

// address matches where a link leads.
var address = regexp.MustCompile(`https?://[^\s<>()\]]+`)

// code matches a piece of code inside prose.
var code = regexp.MustCompile("`[^`\n]+`")

// breakers are the characters at which the renderer breaks lines, and what stands
// for them in addresses, paths and code meanwhile.
const (
	breakers = ",.;-+"
	stands   = "\ue000\ue001\ue002\ue003\ue004"
)

// whole keeps the renderer from breaking a text; broken turns that back.
func whole(text string) string  { return exchange(text, breakers, stands) }
func broken(text string) string { return exchange(text, stands, breakers) }

func exchange(text, from, to string) string {
	all := []rune(to)
	return strings.Map(func(r rune) rune {
		if at := slices.Index([]rune(from), r); at >= 0 {
			return all[at]
		}
		return r
	}, text)
}

// links writes out where links lead: to a file of the kit by its path, which a
// student can open, as the lesson's own folder sees it.
func links(markdown, folder string) string {
	written := link.ReplaceAllStringFunc(markdown, func(found string) string {
		m := link.FindStringSubmatch(found)
		if m[2] == "" {
			return found
		}
		to := m[3]
		if !strings.Contains(to, "://") {
			to = path.Join("steps", folder, to)
		}
		to = whole(to)
		if m[1] != "" {
			return m[2] + " → " + to
		}
		return m[2] + " (" + to + ")"
	})
	return code.ReplaceAllStringFunc(address.ReplaceAllStringFunc(written, whole), whole)
}

// item matches the sign of an item at the beginning of a rendered line.
var item = regexp.MustCompile(`^( *)(• |(\d+)\. |\[[ ✓x]\] )`)

// hangItems moves what goes on below an item's first line to the right, under its
// words.
func hangItems(rendered string) string {
	lines := strings.Split(rendered, "\n")
	indent, by, number := -1, "", 0
	for i, line := range lines {
		plain := strings.TrimRight(xansi.Strip(line), " ")
		words := strings.TrimLeft(plain, " ")
		if m := item.FindStringSubmatch(plain); m != nil {
			n, _ := strconv.Atoi(m[3])
			if indent != len(m[1]) || n == 0 || n == number+1 { // else a sentence ends in a number
				indent, by, number = len(m[1]), strings.Repeat(" ", lang.Width(m[2])), n
				continue
			}
		}
		if words == "" || len(plain)-len(words) != indent {
			indent = -1
			continue
		}
		lines[i] = by + line
	}
	return strings.Join(lines, "\n")
}

// hanging is the room that an item's sign takes at most.
const hanging = len("10. ")

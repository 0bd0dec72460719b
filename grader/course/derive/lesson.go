package derive

import (
	"regexp"
	"strings"
)

// A fold in a lesson: what opens it, in each language, and what closes it.
const (
	openEnglish = "<details><summary>Derive it on paper first; then open this.</summary>\n\n"
	openChinese = "<details><summary>先在纸上自己推导，再打开这里。</summary>\n\n"
	closing     = "</details>\n\n"
)

// derivation matches the heading of a section that derives a gradient.
var derivation = regexp.MustCompile(`^## (.*[Bb]ackward.*derived|.*, and its gradient|.*反向传播的推导|.*及其梯度)\s*$`)

// Lesson folds the sections of a lesson that derive a gradient. What is folded is
// left as it is.
func Lesson(markdown string) string {
	markdown = Unfold(markdown)
	var out strings.Builder
	for _, section := range sections(markdown) {
		heading, body, _ := strings.Cut(section, "\n")
		if !derivation.MatchString(heading) {
			out.WriteString(section)
			continue
		}
		open := openEnglish
		if strings.Contains(heading, "推导") || strings.Contains(heading, "及其") {
			open = openChinese
		}
		out.WriteString(heading + "\n\n" + open + strings.TrimLeft(body, "\n") + closing)
	}
	return out.String()
}

// Unfold is the opposite of Lesson.
func Unfold(markdown string) string {
	var out strings.Builder
	for _, section := range sections(markdown) {
		for _, open := range []string{openEnglish, openChinese} {
			if strings.Contains(section, open) {
				section = strings.TrimSuffix(strings.Replace(section, open, "", 1), closing)
			}
		}
		out.WriteString(section)
	}
	return out.String()
}

// Hidden returns a lesson with the sections left out that are folded, for a reader
// who cannot fold.
func Hidden(markdown, instead string) string {
	var out strings.Builder
	for _, section := range sections(markdown) {
		if strings.Contains(section, openEnglish) || strings.Contains(section, openChinese) {
			heading, _, _ := strings.Cut(section, "\n")
			section = heading + "\n\n" + instead + "\n\n"
		}
		out.WriteString(section)
	}
	return out.String()
}

// sections cuts a lesson before every heading of the second level.
func sections(markdown string) []string {
	var all []string
	begin, code := 0, false
	at := 0
	for line := range strings.Lines(markdown) {
		code = code != strings.HasPrefix(line, "```")
		if !code && strings.HasPrefix(line, "## ") && at > begin {
			all, begin = append(all, markdown[begin:at]), at
		}
		at += len(line)
	}
	return append(all, markdown[begin:])
}

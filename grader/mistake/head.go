package mistake

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// head is the comment that begins a mistake or a version of one.
type head struct {
	id, in  string
	with    string  // another version, whose changes are made too
	mistake Mistake // without its versions; empty for a further version
}

var (
	headLine = regexp.MustCompile(`^([a-z0-9]+(?:[.-][a-z0-9]+)*)(/[a-z0-9]+(?:[.-][a-z0-9]+)*)?(?:: (.+))?$`)
	// A title goes on after “… what you get when”.
	badTitle = regexp.MustCompile(`^(The|An?|Your?|It) |\.$`)
)

// parseHead reads the text of such a comment. Where there are hints, every mistake
// must have one.
func parseHead(text string, hints bool) (head, error) {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	first := headLine.FindStringSubmatch(paragraphs[0])
	if first == nil {
		return head{}, fmt.Errorf("a comment begins with %q; want “id: title”, or “id/version” for a further version of a mistake", paragraphs[0])
	}
	h := head{id: first[1] + first[2], mistake: Mistake{ID: first[1], Title: first[3]}}
	for _, p := range paragraphs[1:] {
		if err := h.paragraph(p); err != nil {
			return head{}, fmt.Errorf("%s: %w", h.id, err)
		}
	}
	return h, h.check(first[2] != "", hints)
}

// paragraph reads one of the paragraphs after the first.
func (h *head) paragraph(text string) error {
	key, value, _ := strings.Cut(text, ": ")
	to := map[string]*string{"Why": &h.mistake.Why, "Hint": &h.mistake.Hint, "Invisible": &h.mistake.Invisible, "In": &h.in, "With": &h.with}[key]
	switch {
	case text == "Curve: yes" && !h.mistake.Curve:
		h.mistake.Curve = true
	case to == nil || value == "":
		return fmt.Errorf("a paragraph is %q; want one that begins with Why, Hint, Invisible, In or With and a colon, or “Curve: yes”", text)
	case *to != "":
		return fmt.Errorf("%s is said twice", key)
	default:
		*to = value
	}
	return nil
}

// check looks for what is missing or too much.
func (h *head) check(version, hints bool) error {
	m := h.mistake
	switch {
	case version && (m.Why+m.Hint+m.Invisible != "" || m.Curve):
		return fmt.Errorf("%s: Why, Hint, Invisible and Curve stand with the mistake itself and not with a version of it", h.id)
	case version && m.Title == "":
		return nil
	case m.Title == "":
		return fmt.Errorf("%s has no title; want “%s: what is done wrong”", h.id, h.id)
	case hints && badTitle.MatchString(m.Title):
		return fmt.Errorf("%s: the title is %q; it goes on after “… what you get when”, without a full stop", h.id, m.Title)
	case version:
		return nil
	case m.Why == "" || hints && m.Hint == "":
		return errors.New(h.id + ": want a paragraph “Why: …” and one “Hint: …”")
	}
	return nil
}

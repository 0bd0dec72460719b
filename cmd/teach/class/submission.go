package class

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/handin"
)

// Submission is what one student handed in.
type Submission struct {
	Name string `json:"name"`
	handin.Content
}

// Hash returns a hash of the content, of which the student's name is no part.
func (s *Submission) Hash() string {
	h := sha256.New()
	field(h, s.Refused)
	for _, folder := range slices.Sorted(maps.Keys(s.Folders)) {
		field(h, folder, s.StepHash(folder))
	}
	for _, folder := range slices.Sorted(maps.Keys(s.Near)) {
		field(h, "near", folder, strings.Join(s.Near[folder], "/"))
	}
	for _, note := range s.Notes {
		field(h, "note", note)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// StepHash returns a hash of the content of one folder.
func (s *Submission) StepHash(folder string) string {
	h := sha256.New()
	f := s.Folders[folder]
	if f == nil {
		return ""
	}
	if f.Refused != nil {
		field(h, "refused", f.Refused.Error())
	}
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		field(h, name, string(f.Files[name]))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// field writes texts so that no two lists of texts give the same bytes.
func field(w io.Writer, texts ...string) {
	for _, t := range texts {
		fmt.Fprintf(w, "%d:%s", len(t), t)
	}
}

// equal reports whether two results were made under the same terms.
func (t Terms) equal(o Terms) bool {
	return t.Kit == o.Kit && t.Seed == o.Seed && t.Sandbox == o.Sandbox && slices.Equal(t.Steps, o.Steps)
}

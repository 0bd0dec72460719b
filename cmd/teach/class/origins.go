package class

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stubformer/stubformer/cmd/teach/roster"
)

// Origin is what a platform says about a submission.
type Origin struct {
	By       []roster.Submitter `json:"submitters,omitempty"`
	HandedIn time.Time          `json:"handed_in,omitzero"`
}

// equal reports whether two origins say the same.
func (o Origin) equal(other Origin) bool {
	return slices.Equal(o.By, other.By) && o.HandedIn.Equal(other.HandedIn)
}

// or adds what was known before of the same submission.
func (o Origin) or(before Origin) Origin {
	if o.By == nil {
		o.By = before.By
	}
	if o.HandedIn.IsZero() {
		o.HandedIn = before.HandedIn
	}
	return o
}

// Beside the submissions that they download, platforms say who handed in what, and
// when. Nothing of that is believed which lies in a submission.
const (
	gradescopeFile  = "submission_metadata.yml"
	classroom50File = "scores.csv" // by gh teacher download, a row a submission
)

// maxMetadata is how large such a file may be, in bytes.
const maxMetadata = 64 << 20

// record is what platforms say of the submissions in a folder.
type record struct {
	origins map[string]Origin // by their names there
	files   []string          // in which that stands
}

// recordIn reads what platforms say of the submissions in a folder.
func recordIn(dir string) (record, error) {
	said := record{origins: map[string]Origin{}}
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) { // it may be entered, and not listed
		return said, nil
	}
	if err != nil {
		return said, err
	}
	var entries []string
	for _, e := range list {
		entries = append(entries, e.Name())
	}
	if slug := assignment(dir); slug != "" {
		said.repositories(entries, slug)
	}
	for _, name := range entries {
		some, err := said.read(filepath.Join(dir, name), entries)
		if err != nil {
			return said, err
		}
		maps.Copy(said.origins, some)
		if some != nil {
			said.files = append(said.files, name)
		}
	}
	return said, nil
}

// read reads what a file says of submissions; nil if it is a file of something else.
func (record) read(file string, entries []string) (map[string]Origin, error) {
	name := filepath.Base(file)
	if name != gradescopeFile && !strings.EqualFold(filepath.Ext(name), ".csv") {
		return nil, nil
	}
	data, err := metadata(file)
	switch {
	case name == gradescopeFile && data != nil:
		return gradescope(file, data)
	case name == gradescopeFile || name == classroom50File && err != nil:
		return nil, err
	case name == classroom50File:
		return classroom50(data, entries, assignment(filepath.Dir(file))), nil
	}
	return githubClassroom(data), nil // of a table that cannot be read, nothing
}

// metadata reads a file in which a platform may say something; nil if it is none.
func metadata(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info.Size() > maxMetadata {
		return nil, fmt.Errorf("%s is larger than %d MiB", file, maxMetadata>>20)
	}
	return os.ReadFile(file)
}

// assignment is how the names of the repositories in a folder begin, if its own name
// says it: gh classroom clone calls it ASSIGNMENT-submissions, gh teacher download
// CLASSROOM-ASSIGNMENT_submissions_TIME.
func assignment(dir string) string {
	m := regexp.MustCompile(`^(.+?)(?:-submissions|_submissions_[\dT_]+)$`).FindStringSubmatch(filepath.Base(dir))
	if m == nil {
		return ""
	}
	return m[1]
}

// repositories notes whose the repositories are: ASSIGNMENT-USER is a user's, or a
// team's.
func (r *record) repositories(entries []string, slug string) {
	for _, name := range entries {
		if user, ok := cutPrefixFold(name, slug+"-"); ok && user != "" {
			r.origins[name] = Origin{By: []roster.Submitter{{User: user}}}
		}
	}
}

func cutPrefixFold(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// rowsOf reads a table that has all these columns; the rows hold their values. It is
// nil where data is a table of something else.
func rowsOf(data []byte, columns ...string) (rows [][]string) {
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	header, err := in.Read()
	if err != nil {
		return nil
	}
	at := make([]int, len(columns))
	for i, name := range columns {
		if at[i] = slices.Index(header, name); at[i] < 0 {
			return nil
		}
	}
	rows = [][]string{}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			return nil
		}
		values := make([]string, len(columns))
		for i := range columns {
			values[i] = strings.TrimSpace(row[at[i]])
		}
		rows = append(rows, values)
	}
}

// githubClassroom reads whose the repositories are, and when they were last changed,
// from the table of an assignment's grades: a row a student, of a team several with
// one repository.
//
// Source: https://docs.github.com/en/rest/classroom/classroom#get-assignment-grades
func githubClassroom(data []byte) map[string]Origin {
	rows := rowsOf(data, "student_repository_name", "github_username", "submission_timestamp")
	if rows == nil {
		return nil
	}
	origins := map[string]Origin{}
	for _, row := range rows {
		name, user := path.Base(row[0]), row[1]
		if row[0] == "" || user == "" {
			continue
		}
		o := origins[name]
		o.By = append(o.By, roster.Submitter{User: user})
		o.HandedIn = moment(row[2])
		origins[name] = o
	}
	return origins
}

// gradescope reads who handed in what, and when.
func gradescope(path string, data []byte) (map[string]Origin, error) {
	var submissions map[string]struct {
		Submitters []struct {
			Name  string `yaml:":name"`
			SID   string `yaml:":sid"`
			Email string `yaml:":email"`
		} `yaml:":submitters"`
		Created string `yaml:":created_at"`
	}
	if err := yaml.Unmarshal(data, &submissions); err != nil {
		return nil, fmt.Errorf("%s, which says whose submission is whose, cannot be read: %w; repair it or move it away", path, err)
	}
	origins := map[string]Origin{}
	for name, s := range submissions {
		o := Origin{HandedIn: moment(s.Created)}
		for _, who := range s.Submitters {
			o.By = append(o.By, roster.Submitter{ID: who.SID, Email: who.Email, Name: who.Name})
		}
		origins[name] = o
	}
	return origins, nil
}

// moment reads a time as platforms write it; zero if it is none.
func moment(text string) time.Time {
	for _, layout := range []string{"2006-01-02 15:04:05 Z07:00", time.RFC3339, "2006-01-02 15:04:05 UTC", time.DateTime} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}

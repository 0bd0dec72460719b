package class

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Beside the submissions that they download, two platforms say who handed in what,
// and when.
const (
	gradescopeFile  = "submission_metadata.yml"
	classroom50File = "scores.csv" // by gh teacher download, a row a submission
)

// maxMetadata is how large such a file may be, in bytes.
const maxMetadata = 64 << 20

// originsIn reads what a platform says of the submissions in a folder, by their names
// there; nil where none says anything.
func originsIn(dir string, entries []fs.DirEntry) (map[string]Origin, error) {
	data, err := metadata(dir, gradescopeFile)
	if data != nil {
		return gradescope(filepath.Join(dir, gradescopeFile), data)
	}
	if err == nil {
		data, err = metadata(dir, classroom50File)
	}
	return classroom50(data, entries), err
}

// metadata reads a file in which a platform says something; nil if there is none.
func metadata(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info.Size() > maxMetadata {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, maxMetadata>>20)
	}
	return os.ReadFile(path)
}

// classroom50 reads when each user last handed in. A repository is that of the user with
// whom its name ends. It is nil where data is a table of something else.
//
// Source: https://github.com/foundation50/classroom50/wiki/gh-teacher#download
func classroom50(data []byte, entries []fs.DirEntry) map[string]Origin {
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil
	}
	user, at := slices.Index(rows[0], "username"), slices.Index(rows[0], "datetime")
	if user < 0 || at < 0 {
		return nil
	}
	origins, owner := map[string]Origin{}, map[string]string{}
	for _, row := range rows[1:] {
		t, err := time.Parse(time.RFC3339, row[at])
		for _, e := range entries {
			name := e.Name()
			if err != nil || !strings.HasSuffix(strings.ToLower(name), "-"+strings.ToLower(row[user])) || len(row[user]) < len(owner[name]) {
				continue
			}
			if row[user] != owner[name] || t.After(origins[name].HandedIn) {
				origins[name], owner[name] = Origin{HandedIn: t}, row[user]
			}
		}
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
		o := Origin{HandedIn: created(s.Created)}
		if len(s.Submitters) == 1 { // of a group, the folder's name must do
			who := s.Submitters[0]
			o.By = []string{who.SID, who.Email}
			if who.SID == "" && who.Email == "" {
				o.By = []string{who.Name}
			}
		}
		origins[name] = o
	}
	return origins, nil
}

// created reads a time as Gradescope writes it; zero if it is none.
func created(text string) time.Time {
	for _, layout := range []string{"2006-01-02 15:04:05 Z07:00", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}

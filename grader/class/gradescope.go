package class

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v3"
)

// gradescopeFile is where Gradescope says whose submission_123 is whose, in the
// folder that it downloads.
const gradescopeFile = "submission_metadata.yml"

// maxMetadata is how large that file may be, in bytes.
const maxMetadata = 64 << 20

// gradescope reads who handed in what, and when, by the names of the folders;
// none where there is no such file.
func gradescope(dir string) (map[string]Origin, error) {
	path := filepath.Join(dir, gradescopeFile)
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
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
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

package class

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/teach/roster"
	"github.com/stubformer/stubformer/grader/handin"
)

// canvasFile is what Canvas says in the name of a file that it downloads: the name and
// the number of a student, or the name of a group and the number of one of it, or a
// number that stands for nobody's name; the number of the file, and its own name. All
// files with one student are one submission.
//
// Source: https://github.com/instructure/canvas-lms/blob/master/lib/content_zipper.rb
type canvasFile struct {
	anonymous, name, number string
	attachment, file        string
}

func canvasName() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:LATE_)?(anon_[\pL\p{Nd}]+)|([\pL\pM\p{Nd}\p{Pc}]*?)(?:_LATE)?_(\d+))_(\d+)_(.+)$`)
}

func (f canvasFile) student() string {
	if f.anonymous != "" {
		return f.anonymous
	}
	return f.name + "_" + f.number
}

// inCanvas returns those of the entries which Canvas has named, by their names. No two
// files have one number there.
func inCanvas(entries []entry) map[string]canvasFile {
	files, times := map[string]canvasFile{}, map[string]int{}
	name := canvasName()
	for _, e := range entries {
		if m := name.FindStringSubmatch(e.name); m != nil && e.mode.IsRegular() {
			files[e.name] = canvasFile{m[1], m[2], m[3], m[4], m[5]}
			times[m[4]]++
		}
	}
	maps.DeleteFunc(files, func(_ string, f canvasFile) bool { return times[f.attachment] > 1 })
	return files
}

// addCanvas adds the submissions of which files are parts.
func (f *Found) addCanvas(dir string, files map[string]canvasFile, folders []string) {
	parts, by := map[string][]handin.Part{}, map[string][]roster.Submitter{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		of := files[name]
		student := of.student()
		parts[student] = append(parts[student], handin.Part{Path: filepath.Join(dir, name), As: of.file})
		// A name that ends with a number can be taken for a name, a number and one more.
		number, _, _ := strings.Cut(of.file, "_")
		if of.anonymous == "" && strings.Trim(number, "0123456789") != "" {
			by[student] = []roster.Submitter{{Number: of.number, Name: of.name}}
		}
	}
	for _, student := range slices.Sorted(maps.Keys(parts)) {
		f.addParts(student, folders, "", parts[student]...)
		f.Sources[len(f.Sources)-1].By = by[student]
	}
}

package class_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/roster"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// ways is how students hand in: what lies in their submission, whether it counts,
// and what is said if it does not. Everybody does it in a way of their own.
func ways() []way {
	return []way{
		{"the folder", files{folder + "/linear.go": clause}, ""},
		{"the repository", files{"steps/" + folder + "/linear.go": clause, "solutions/" + folder + "/linear.go": "x", "README.md": "x"}, ""},
		{"two levels down", files{"my work/final/" + folder + "/linear.go": clause}, ""},
		{"an archive inside", files{"work.zip": zipFiles(files{folder + "/linear.go": clause})}, ""},
		{"an archive in that", files{"work.zip": zipFiles(files{"v2/inner.zip": zipFiles(files{"steps/" + folder + "/linear.go": clause})})}, ""},
		{"an archive of the name", files{folder + ".zip": zipFiles(files{"linear.go": clause})}, ""},
		{"unpacked twice", files{folder + "/" + folder + "/linear.go": clause}, ""},
		{"a short name", files{"step2/linear.go": clause}, "step2 looks like " + folder},
		{"other letters", files{"Step02_Linear/linear.go": clause}, "Step02_Linear looks like"},
		{"the title", files{"linear/linear.go": clause}, "linear looks like"},
		{"flat files", files{"linear.go": clause}, "linear.go looks like"},
		{"a .rar", files{"work.rar": "Rar!"}, "a .rar file cannot be read here"},
		{"a .7z", files{"work.7z": "7z"}, "a .7z file cannot be read here"},
		{"two of them", files{"old/" + folder + "/linear.go": clause, "new/" + folder + "/linear.go": clause + "// new\n"}, "in more than one place"},
		{"an empty folder", files{folder + "/linear.txt": ""}, "holds no Go files"},
		{"a report alone", files{"report.pdf": "%PDF"}, "there is no step folder in it"},
		{"a damaged archive", files{"work.zip": "PK\x03\x04 and no more"}, "it is not a .zip file that can be read"},
	}
}

type (
	files map[string]string
	way   struct {
		name  string
		files files
		says  string
	}
)

const clause = "package linear\n"

func zipFiles(f files) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range f {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(data))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// download is how a platform gives the submissions away.
type download struct {
	header string
	row    func(i int) string                        // of the roster
	files  func(i int, f files) (out files)          // of a student's submission, by their paths in the download
	beside func(students int) (name, content string) // what lies there too
}

func nested(dir string, f files) files {
	out := files{}
	for name, data := range f {
		out[dir+"/"+name] = data
	}
	return out
}

func downloads() map[string]download {
	return map[string]download{
		"Canvas": {"Student,ID,SIS Login ID,Section\n    Points Possible,,,", func(i int) string { return fmt.Sprintf("\"Last%d, First\",%d,login%d,A", i, 4000+i, i) },
			func(i int, f files) files { // each file by itself if it has no folder, else one archive
				out := files{}
				for name, data := range f {
					if strings.Contains(name, "/") {
						return files{fmt.Sprintf("last%dfirst_LATE_%d_%d_work.zip", i, 4000+i, 9000+i): zipFiles(f)}
					}
					out[fmt.Sprintf("last%dfirst_%d_%d_%s", i, 4000+i, 9000+i, name)] = data
				}
				return out
			}, nil},
		"Moodle": {"First name,Last name,ID number,Email address", func(i int) string { return fmt.Sprintf("First,Last%d,s%d,s%d@example.org", i, i, i) },
			func(i int, f files) files {
				dir := fmt.Sprintf("First Last%d_%d_assignsubmission_file_", i, 7000+i)
				if i%2 == 0 {
					return files{dir + "/submission.zip": zipFiles(f)}
				}
				return nested(dir, f)
			}, nil},
		"Gradescope": {"First Name,Last Name,SID,Email", func(i int) string { return fmt.Sprintf("First,Last%d,s%d,s%d@example.org", i, i, i) },
			func(i int, f files) files { return nested(fmt.Sprintf("submission_%d", 31000+i), f) },
			func(n int) (string, string) {
				var b strings.Builder
				fmt.Fprintln(&b, "---")
				for i := range n {
					fmt.Fprintf(&b, "submission_%d:\n  :submitters:\n  - :name: First Last%d\n    :sid: s%d\n    :email: s%d@example.org\n  :created_at: 2026-10-0%d 12:00:00.000000000 Z\n", 31000+i, i, i, i, 1+i%9)
				}
				return "submission_metadata.yml", b.String()
			}},
		"Classroom 50": {"username,first_name,last_name,email,section,github_id,role", func(i int) string { return fmt.Sprintf("user%d,First,Last%d,s%d@example.org,A,%d,student", i, i, i, i) },
			func(i int, f files) files { return nested(fmt.Sprintf("cs336-attention-user%d", i), f) },
			func(n int) (string, string) { // of two submissions the newer stands first, and nobody's has no time
				scores := "username,first_name,last_name,email,section,score,max_score,datetime,submission_tag,submitted_by,review_url,late,override\nnobody,,,,,,,,,,,,\n"
				for i := range n {
					for _, hour := range []int{17, 12} {
						scores += fmt.Sprintf("user%d,First,Last%d,,A,0,100,2026-10-0%dT%d:00:00Z,submit/1,,,false,\n", i, i, 1+i%9, hour)
					}
				}
				return "scores.csv", scores
			}},
		"GitHub Classroom": {"identifier,github_username,github_id,name", func(i int) string { return fmt.Sprintf("s%d@example.org,user%d,%d,First Last%d", i, i, i, i) },
			func(i int, f files) files { return nested(fmt.Sprintf("attention-user%d", i), f) }, nil},
	}
}

// handInGrader gives full marks to who handed in the step, and none to others.
type handInGrader struct{ fakeGrader }

func (g handInGrader) Grade(ctx context.Context, s *class.Submission) (*report.Report, error) {
	r, err := g.fakeGrader.Grade(ctx, s)
	if f := s.Folders[folder]; err == nil && (f == nil || f.Refused != nil || len(f.Files) == 0) {
		step := &r.Steps[0]
		for i := range step.Checks {
			step.Checks[i].Points, step.Checks[i].Verdict = 0, verdict.Refused
		}
		step.Close()
	}
	return r, err
}

// A class as each platform gives it away, with every oddity among it: nobody is
// missing, and no 0 is without its reason.
func TestNobodyIsMissing(t *testing.T) {
	const absent = 2 // at the end of the roster
	for name, d := range downloads() {
		t.Run(name, func(t *testing.T) {
			// GitHub's names mean something in a folder of the name that gh classroom clone gives it.
			dir, out, list := filepath.Join(t.TempDir(), "attention-submissions"), t.TempDir(), d.header+"\n"
			write := func(name, data string) {
				path := filepath.Join(dir, filepath.FromSlash(name))
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
			}
			ways := ways()
			for i := range len(ways) + absent {
				list += d.row(i) + "\n"
				if i < len(ways) {
					for name, data := range d.files(i, ways[i].files) {
						write(name, data)
					}
				}
			}
			if d.beside != nil {
				write(d.beside(len(ways)))
			}
			people, err := roster.Parse([]byte(list))
			require.NoError(t, err)
			found, err := class.Find([]string{dir}, []string{folder})
			require.NoError(t, err)
			require.Empty(t, found.Skipped)
			store := class.Dir(filepath.Join(out, "results"))
			look := map[string][]string{}
			require.NoError(t, class.Run(t.Context(), handInGrader{}, store, found.Sources, 2, false, func(e class.Event) { look[e.Name] = e.Look }))
			problems, err := class.Book{Roster: people}.Write(out, store)
			require.NoError(t, err)
			require.Empty(t, problems)

			rows, err := csv.NewReader(strings.NewReader(read(t, out, class.GradebookCSV))).ReadAll()
			require.NoError(t, err)
			byID := map[string][]string{}
			for _, row := range rows[1:] {
				byID[row[2]] = row
			}
			require.Len(t, rows, 1+len(ways)+absent)
			for i, p := range people.People {
				row := byID[p.ID]
				require.NotNil(t, row, p.ID)
				points, notes := row[3], row[6]
				switch {
				case i >= len(ways):
					require.Equal(t, []string{"0", "handed in nothing"}, []string{points, notes})
				case ways[i].says == "":
					require.Equal(t, "100", points, "%s: %s", ways[i].name, notes)
					require.Empty(t, notes, ways[i].name)
				default:
					require.Equal(t, "0", points, ways[i].name)
					require.Contains(t, notes, ways[i].says)
					require.Contains(t, strings.Join(look[row[0]], "; "), ways[i].says, "it is told of at the end, too")
				}
			}
			stored, err := store.Load(found.Sources[0].Name)
			require.NoError(t, err)
			require.Equal(t, map[string]string{"Gradescope": "2026-10-01T12:00:00Z", "Classroom 50": "2026-10-01T17:00:00Z"}[name], handedIn(stored.HandedIn))
		})
	}
}

func handedIn(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// Who hands in after all takes the place of the row that said nothing, and that
// loses no marks.
func TestHandedInAfterAll(t *testing.T) {
	out := t.TempDir()
	store := class.Dir(filepath.Join(out, "results"))
	people, err := roster.Parse([]byte("name\nann\nbob\n"))
	require.NoError(t, err)
	for _, students := range [][]string{{"ann"}, {"ann", "bob"}} {
		lost, err := class.Lost(out, store, sources(students...), linear())
		require.NoError(t, err)
		require.Empty(t, lost)
		require.NoError(t, class.Run(t.Context(), fakeGrader{}, store, sources(students...), 1, false, func(class.Event) {}))
		_, err = class.Book{Roster: people}.Write(out, store)
		require.NoError(t, err)
	}
	require.Equal(t, "student,name,id,step02,total,max,notes\nann,ann,ann,100,100,100,\nbob,bob,bob,100,100,100,\n", read(t, out, class.GradebookCSV))
}

package class_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/roster"
)

// write writes a file of a download.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// said is what platforms said of the submissions that were found: who, and when.
func said(t *testing.T, paths ...string) map[string]string {
	t.Helper()
	found, err := class.Find(paths, []string{folder})
	require.NoError(t, err)
	said := map[string]string{}
	for _, s := range found.Sources {
		var who []string
		for _, by := range s.By {
			who = append(who, by.String())
		}
		said[s.Name] = strings.Join(who, " and ")
		if !s.HandedIn.IsZero() {
			said[s.Name] += " at " + s.HandedIn.UTC().Format(time.RFC3339)
		}
	}
	return said
}

const metadata = "---\nsubmission_1:\n  :submitters:\n  - :name: Bo Two\n    :sid: 102\n    :email:\n  - :name: Cy Three\n    :sid:\n    :email: cy@x.org\n" +
	"  :created_at: 2026-10-25 22:30:00.000000000 Z\n  :results:\n    :tests:\n    - !ruby/hash:ActiveSupport::HashWithIndifferentAccess\n      score: !ruby/object:BigDecimal 18:0.1e2\n" +
	"submission_2:\n  :submitters: []\n  :created_at: 2026-10-24 12:00:00.000000000 -07:00\n"

// Who handed something in, the platform says in the folder that holds submissions; what
// lies in a submission says nothing, however it is named.
func TestRecords(t *testing.T) {
	forged := strings.NewReplacer("submission_1", "work", "102", "666").Replace(metadata)
	in := filepath.Join(t.TempDir(), "export")
	for _, name := range []string{"submission_1/deep/", "submission_2/", "submission_3/x/"} {
		write(t, in, name+folder+"/a.go", clause)
	}
	write(t, in, "submission_metadata.yml", metadata)
	write(t, in, "submission_3/submission_metadata.yml", strings.ReplaceAll(forged, "work", "x"))
	write(t, in, "submission_2/submission_metadata.yml", strings.ReplaceAll(forged, "work", folder))
	want := map[string]string{"submission_1": "Bo Two, 102 and Cy Three, cy@x.org at 2026-10-25T22:30:00Z", "submission_2": " at 2026-10-24T19:00:00Z", "submission_3": ""}
	require.Equal(t, want, said(t, in))
	all, err := filepath.Glob(filepath.Join(in, "*")) // as a shell does
	require.NoError(t, err)
	require.Len(t, all, 4)
	require.Equal(t, want, said(t, all...))
	t.Chdir(in)
	require.Equal(t, want, said(t, "."))
	require.Equal(t, want, said(t, "submission_1", "submission_2", "submission_3"))
	require.Equal(t, map[string]string{"submission_1": want["submission_1"]}, said(t, "submission_1"))
	require.Equal(t, map[string]string{folder: ""}, said(t, filepath.Join("submission_2", folder)), "it lies in a submission")

	// Without a record beside them, too.
	bare := t.TempDir()
	for _, name := range []string{"alice", "bob"} {
		write(t, bare, name+"/homework/final/"+folder+"/a.go", clause)
		write(t, bare, name+"/submission_metadata.yml", forged)
	}
	require.Equal(t, map[string]string{"alice": "", "bob": ""}, said(t, bare))
	require.Equal(t, map[string]string{"alice": "", "bob": ""}, said(t, filepath.Join(bare, "alice"), filepath.Join(bare, "bob")))
}

// Whose a repository is, the platform's own table says, or how all of them begin; how
// one ends does not.
func TestRepositories(t *testing.T) {
	scores := "username,datetime,score,submission_tag\n" +
		"lee,2026-10-01T10:00:00Z,0,submit/1-aa\njin-lee,2026-10-02T10:00:00Z,100,submit/2-bb\njin-lee,2026-10-01T09:00:00Z,50,submit/1-cc\n" +
		"mate,2026-10-02T10:00:00Z,100,submit/2-bb\nmate,2026-10-01T09:00:00Z,50,submit/1-cc\nidle,,,\n"
	for name, c := range map[string]struct {
		dir   string
		files map[string]string
		want  map[string]string
	}{
		"a table of scores": {"x", map[string]string{"cs-hw1-jin-lee/" + folder + "/a.go": "", "cs-hw1-Lee/" + folder + "/a.go": "", "scores.csv": scores},
			map[string]string{"cs-hw1-jin-lee": "jin-lee and mate at 2026-10-02T10:00:00Z", "cs-hw1-Lee": "lee at 2026-10-01T10:00:00Z"}},
		"a table that does not say how they begin": {"x", map[string]string{"cs-hw1-jin-lee/" + folder + "/a.go": "", "scores.csv": scores}, map[string]string{"cs-hw1-jin-lee": ""}},
		"and a folder that does": {"cs-hw1_submissions_2026_10_02_T_11_00_00", map[string]string{"cs-hw1-jin-lee/" + folder + "/a.go": "", "scores.csv": scores},
			map[string]string{"cs-hw1-jin-lee": "jin-lee and mate at 2026-10-02T10:00:00Z"}},
		"nothing": {"x", map[string]string{"hw1-jin-lee/" + folder + "/a.go": ""}, map[string]string{"hw1-jin-lee": ""}},
		"the name of the clone": {"hw1-submissions", map[string]string{"hw1-jin-lee/" + folder + "/a.go": "", "HW1-ada/" + folder + "/a.go": "", "other/" + folder + "/a.go": ""},
			map[string]string{"hw1-jin-lee": "jin-lee", "HW1-ada": "ada", "other": ""}},
		"a table of grades": {"x", map[string]string{"hw1-jin-lee/" + folder + "/a.go": "", "hw1-team-lee/" + folder + "/a.go": "",
			"hw1-grades-17.csv": "\ufeffassignment_name,github_username,roster_identifier,student_repository_name,submission_timestamp,group_name\n" +
				"HW1,jin-lee,,hw1-jin-lee,2026-10-02 10:00:00 UTC,\nHW1,ada,,org/hw1-team-lee,2026-10-02T10:00:00Z,team-lee\nHW1,bo,,org/hw1-team-lee,2026-10-02T10:00:00Z,team-lee\n"},
			map[string]string{"hw1-jin-lee": "jin-lee at 2026-10-02T10:00:00Z", "hw1-team-lee": "ada and bo at 2026-10-02T10:00:00Z"}},
		"tables of something else": {"x", map[string]string{"hw1-lee/" + folder + "/a.go": "", "scores.csv": "a,b\n1,2\n", "list.csv": "\"", "more.CSV": "username,datetime\nlee,2026-10-02T10:00:00Z\n"},
			map[string]string{"hw1-lee": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), c.dir)
			for name, text := range c.files {
				write(t, dir, name, text)
			}
			require.Equal(t, c.want, said(t, dir))
		})
	}
}

// What Canvas calls files, by its own rule.
func TestCanvasNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"projectgroup3_4711_98765_work.zip", "smith2jo_LATE_4712_98766_linear.go", "smith2jo_4712_98767_notes_1_2_x.txt", "annlee_9_7_work.zip",
		"de_lacruzx_4715_98768_work.zip", "obriensmithzoe\u0308_4716_98769_work.zip", "LATE_anon_a1B2c_98770_work.zip", "anon_Zz9yX_98771_work.zip", "_4718_98772_work.zip",
		"team_5_4719_98773_work.zip", "latestudent_4720_98774_1_work.zip"} {
		write(t, dir, name, "")
	}
	want := map[string]string{"projectgroup3_4711": "projectgroup3, 4711", "smith2jo_4712": "smith2jo, 4712", "annlee_9": "annlee, 9", "de_lacruzx_4715": "de_lacruzx, 4715",
		"obriensmithzoe\u0308_4716": "obriensmithzoe\u0308, 4716", "anon_a1B2c": "", "anon_Zz9yX": "", "_4718": "4718",
		"team_5": "", "latestudent_4720": ""} // these two can be read in two ways
	require.Equal(t, want, said(t, dir))
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, want, said(t, all...))

	// Two files with one number are not Canvas's, nor are folders.
	other := t.TempDir()
	for _, name := range []string{"hw_1_2_ann.zip", "hw_1_2_bob.zip", "hw_1_3_cy.zip/" + folder + "/a.go"} {
		write(t, other, name, "")
	}
	require.Equal(t, map[string]string{"hw_1_2_ann": "", "hw_1_2_bob": "", "hw_1_3_cy": ""}, said(t, other))
}

// What a platform says is believed when it says it, also of what is graded already, and
// of the same work only.
func TestRecordThatComesLater(t *testing.T) {
	in, store := t.TempDir(), class.Dir(t.TempDir())
	write(t, in, "submission_1/"+folder+"/a.go", clause)
	run := func() (again bool, r *class.Result) {
		found, err := class.Find([]string{in}, []string{folder})
		require.NoError(t, err)
		require.NoError(t, class.Run(t.Context(), fakeGrader{}, store, found.Sources, 1, false, func(e class.Event) { again = e.Again }))
		r, err = store.Load("submission_1")
		require.NoError(t, err)
		return again, r
	}
	again, r := run()
	require.True(t, again)
	require.Empty(t, r.By)
	write(t, in, "submission_metadata.yml", metadata)
	again, r = run()
	require.False(t, again)
	require.Equal(t, []roster.Submitter{{Name: "Bo Two", ID: "102"}, {Name: "Cy Three", Email: "cy@x.org"}}, r.By)
	require.NoError(t, os.Remove(filepath.Join(in, "submission_metadata.yml")))
	again, r = run()
	require.False(t, again)
	require.Len(t, r.By, 2)
	require.False(t, r.HandedIn.IsZero())
	write(t, in, "submission_1/"+folder+"/a.go", clause+"// another's\n")
	again, r = run()
	require.True(t, again)
	require.Empty(t, r.By)
	require.True(t, r.HandedIn.IsZero())
}

// A group's work is each member's: a row for each, and one page.
func TestGroups(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	write(t, in, "submission_1/"+folder+"/a.go", clause)
	write(t, in, "submission_metadata.yml", metadata)
	people, err := roster.Parse([]byte("First Name,Last Name,SID,Email,Role\nBo,Two,102,bo@x.org,Student\nCy,Three,,cy@x.org,Student\nDi,Four,104,,Student\nTea,Ay,2,,TA\n"))
	require.NoError(t, err)
	store := class.Dir(filepath.Join(out, "results"))
	found, err := class.Find([]string{in}, []string{folder})
	require.NoError(t, err)
	require.NoError(t, class.Run(t.Context(), fakeGrader{}, store, found.Sources, 1, false, func(class.Event) {}))
	problems, err := class.Book{Roster: people}.Write(out, store)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, "student,name,id,step02,total,max,notes\nsubmission_1,Bo Two,102,100,100,100,\nsubmission_1,Cy Three,cy@x.org,100,100,100,\n,Di Four,104,0,0,100,handed in nothing\n",
		read(t, out, class.GradebookCSV))
	require.Equal(t, 1, strings.Count(read(t, out, class.GradebookJSONL), "\n"))
	require.Contains(t, read(t, out, "students/submission_1.md"), "Bo Two, Cy Three")
	require.Contains(t, read(t, out, class.IndexHTML), "Submissions: 1.")
	lost, err := class.Lost(out, store, found.Sources, linear())
	require.NoError(t, err)
	require.Empty(t, lost)

	hidden := t.TempDir()
	alias := func(name string, p *roster.Person) string { return "s-" + strings.TrimSuffix(p.ID, "@x.org") }
	_, err = class.Book{Roster: people, Alias: alias}.Write(hidden, store)
	require.NoError(t, err)
	require.Equal(t, "student,step02,total,max,notes\ns-102,100,100,100,\ns-104,0,0,100,handed in nothing\ns-cy,100,100,100,\n", read(t, hidden, class.GradebookCSV))
	require.Equal(t, []string{"s-102.html", "s-102.md", "s-cy.html", "s-cy.md"}, list(t, filepath.Join(hidden, class.Students)))
}

// Names that differ in nothing but their form of Unicode are one name of a file to some
// systems.
func TestNamesInTwoForms(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "Jos\u00e9.zip", "")
	write(t, dir, "Jose\u0301/"+folder+"/a.go", clause)
	found, err := class.Find([]string{dir}, []string{folder})
	require.NoError(t, err)
	require.Len(t, found.Skipped, 1)
	require.True(t, slices.ContainsFunc(found.Sources, func(s class.Source) bool { return strings.HasSuffix(s.Name, " (2)") }))
}

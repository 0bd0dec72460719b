package marks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/marks"
	"github.com/stubformer/stubformer/cmd/teach/roster"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/handin"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// graded stores results: by student, how many of a step's checks passed.
func graded(t *testing.T, students map[string]map[string]int) (out string) {
	t.Helper()
	out = t.TempDir()
	store := class.Dir(filepath.Join(out, "results"))
	for name, steps := range students {
		r := &class.Result{Schema: class.Schema, Name: name, Report: &report.Report{Schema: report.Schema},
			Submission: &class.Submission{Name: name, Content: handin.Content{Folders: map[string]*workspace.Folder{}}}}
		for _, step := range registry.Steps()[:2] {
			s := report.Of(step, lang.Printer{})
			for i, c := range step.Checks {
				result := report.Check{ID: c.ID, Max: c.Points, Verdict: verdict.WrongValues}
				switch {
				case steps[step.ID] < 0:
					result.Verdict = verdict.GraderError
				case i < steps[step.ID]:
					result.Points, result.Verdict = c.Points, verdict.Passed
				}
				s.Checks = append(s.Checks, result)
			}
			s.Close()
			r.Submission.Folders[step.Folder] = &workspace.Folder{}
			r.Report.Steps = append(r.Report.Steps, s)
		}
		require.NoError(t, store.Save(r))
	}
	return out
}

const all = 100 // checks, or more than there are

func make1(t *testing.T, scheme, dir, results string, r *roster.Roster) *marks.Table {
	t.Helper()
	s, err := marks.Parse([]byte(scheme), dir, results)
	require.NoError(t, err)
	table, err := marks.Make(s, r)
	require.NoError(t, err)
	return table
}

func points(step, checks int) (n int) {
	for i, c := range registry.Steps()[step].Checks {
		if i < checks {
			n += c.Points
		}
	}
	return n
}

// What a scheme makes of points.
func TestSchemes(t *testing.T) {
	in := graded(t, map[string]map[string]int{"ann": {"step01": all, "step02": 1}, "bob": {"step01": 0, "step02": all}, "eve": {"step01": all, "step02": -1}})
	late := graded(t, map[string]map[string]int{"ann": {"step01": all, "step02": all}, "bob": {"step01": all, "step02": 0}})
	one := points(1, 1)
	first := registry.Steps()[1].Checks[0]
	both := "collections: [{results: " + in + ", at: 2026-10-19 12:00}, {results: " + late + ", at: 2026-10-21 13:00}]\n"
	due := "steps: {step01: {weight: 10, due: 2026-10-19}, step02: {weight: 20, due: 2026-10-19 23:59}}\n"
	for name, c := range map[string]struct {
		scheme   string
		ann, bob float64
		days     int // of ann
	}{
		"points":                     {"", 100 + float64(one), 100, 0},
		"weights":                    {"steps: {step01: {weight: 10}, step02: {weight: 20}}", 10 + 20*float64(one)/100, 20, 0},
		"one step":                   {"steps: {step02: {weight: 1}}", float64(one) / 100, 1, 0},
		"without a check":            {"steps: {step02: {without: [" + first.ID + "]}}", 0, float64(100 - first.Points), 0},
		"without the lowest":         {"drop: 1", 100, 100, 0},
		"the best of two":            {both, 200, 200, 0},
		"the last of two":            {"attempts: last\n" + both, 200, 100, 0},
		"late and nothing is said":   {due + both, 10 + 20*float64(one)/100, 20, 0},
		"late, with days for free":   {due + both + "late: {free: 2}", 30, 30, 2},
		"late, with too few":         {due + both + "late: {free: 1, cost: 50, most: 3}", 20, 25, 2},
		"late, at a cost":            {due + both + "late: {cost: 10, most: 3}", 10 + 20*.8, 10*.8 + 20, 2},
		"late, after the last day":   {due + both + "late: {cost: 10, most: 1}", 10 + 20*float64(one)/100, 20, 0},
		"in time in another zone":    {"zone: Pacific/Honolulu\n" + due + both, 10 + 20*float64(one)/100, 20, 0},
		"two dates with zones alike": {"steps: {step02: {due: '2026-10-19T02:00:00-10:00'}}\n" + both, float64(one), 100, 0},
	} {
		t.Run(name, func(t *testing.T) {
			table := make1(t, c.scheme, ".", in, nil)
			require.Len(t, table.Students, 3)
			require.InDelta(t, c.ann, table.Students[0].Total, 1e-9)
			require.InDelta(t, c.bob, table.Students[1].Total, 1e-9)
			require.Equal(t, c.days, table.Students[0].Late)
		})
	}
	eve := make1(t, "", ".", in, nil).Students[2]
	require.True(t, eve.Failed, "the grader failed: no total, which is not a zero")
}

// The time at which the platform says that something came in goes before that of
// the collection.
func TestOwnTime(t *testing.T) {
	out := graded(t, map[string]map[string]int{"ann": {"step01": all}})
	store := class.Dir(filepath.Join(out, "results"))
	r, err := store.Load("ann")
	require.NoError(t, err)
	r.HandedIn = time.Date(2026, 10, 22, 0, 0, 0, 0, time.UTC)
	require.NoError(t, store.Save(r))
	table := make1(t, "steps: {step01: {due: 2026-10-19}}\nlate: {cost: 10, most: 9}\ncollections: [{results: "+out+", at: 2026-10-19}]", ".", out, nil)
	require.InDelta(t, 70, table.Students[0].Total, 1e-9)
	require.Equal(t, []string{"step01: late (days: 3, free of them: 0)"}, table.Students[0].Notes[:1])
}

// extended begins a scheme with an extension.
const extended = "steps: {step01: {due: 2026-10-19}, step02: {}}\nextensions: [" // ]

func TestWrongSchemes(t *testing.T) {
	out := graded(t, map[string]map[string]int{"ann": {"step01": all}})
	for scheme, want := range map[string]string{
		"wieght: 3":                                               "line 1: field wieght not found; want zone, steps",
		"drop: many":                                              "line 1: cannot unmarshal !!str `many`; want",
		"a: b: c":                                                 "is no YAML that can be read",
		"steps: {step99: {}}":                                     `there is no step "step99"`,
		"steps: {linear: {}}":                                     "linear is called step02 here",
		"steps: {step02: {without: [x]}}":                         `there is no check "x"`,
		"steps: {step02: {weight: -1}}":                           "weight is -1",
		"steps: {step02: {due: tomorrow}}":                        `"tomorrow" is no date; want 2026-10-19`,
		"zone: Nowhere":                                           "want a name such as Europe/Berlin",
		"attempts: most":                                          "want best or last",
		"drop: 50":                                                "drop is 50 of",
		"late: {cost: 200}":                                       "cost is 200; want per cent",
		"collections: [{at: 2026-10-19}]":                         "each wants results",
		"steps: {step01: {due: 2026-10-19}}":                      "nobody says when what is in",
		"steps: {step02: {weight: .nan}}":                         "weight is NaN; want a number from 0 to 1000000",
		"steps: {step02: {weight: .inf}}":                         "weight is +Inf",
		"steps: {step02: {weight: 1e300}}":                        "weight is 1e+300",
		"late: {cost: .nan}":                                      "cost is NaN; want per cent",
		"late: {cost: -.inf}":                                     "cost is -Inf",
		"drop: .nan":                                              "cannot unmarshal !!float",
		"late: {most: .inf}":                                      "cannot unmarshal !!float",
		"drop: 0\n---\ndrop: 1":                                   "more than one YAML document",
		"drop: 0\n---\n: : :":                                     "more than one YAML document",
		"extensions: [{days: 3}]":                                 "extensions: who is missing",
		"extensions: [{who: ann, days: 3}]":                       "extensions: ann: no step has a deadline",
		extended + "{who: ann}":                                   "ann: want due, a new deadline, or days",
		extended + "{who: ann, days: -1}":                         "ann: want due, a new deadline, or days, a number of them from 1 to 1000",
		extended + "{who: ann, days: 2, due: 2026-10-20}":         "want due, a new deadline, or days",
		extended + "{who: ann, due: tomorrow}":                    `extensions: ann: due: "tomorrow" is no date`,
		extended + "{who: ann, due: 2026-10-19}":                  "ann: no step has a deadline in this scheme, or all have later ones",
		extended + "{who: ann, days: 1, steps: [step02]}":         "ann: step02 has no deadline in this scheme, or a later one",
		extended + "{who: ann, due: 2026-10-18, steps: [step01]}": "ann: step01 has no deadline in this scheme, or a later one",
		extended + "{who: ann, days: 1, step: step01}":            "field step not found; want zone",
		"collections: [{results: does-not-exist}]":                "holds no results of `grade class`",
	} {
		if strings.HasPrefix(scheme, extended) {
			scheme += "]"
		}
		s, err := marks.Parse([]byte(scheme), out, out)
		if err == nil {
			_, err = marks.Make(s, nil)
		}
		require.ErrorContains(t, err, want, scheme)
	}
}

func rosterOf(t *testing.T, text string) *roster.Roster {
	r, err := roster.Parse([]byte(text))
	require.NoError(t, err)
	return r
}

func read(t *testing.T, dir, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

// What is uploaded holds the platform's own columns, everybody in the roster, and
// nobody else.
func TestUploads(t *testing.T) {
	out := graded(t, map[string]map[string]int{"lovelaceada_4711": {"step01": all, "step02": all}, "=x": {"step01": all}})
	scheme := "steps: {step01: {weight: 10}, step02: {weight: 20}}"
	canvas := rosterOf(t, "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n\"Lovelace, Ada\",4711,u1,adal,A\n\"Turing, Alan\",4712,u2,alant,B\n")
	dir := t.TempDir()
	require.NoError(t, make1(t, scheme, ".", out, canvas).Write(dir, class.Book{Roster: canvas, Mark: true}))
	require.Equal(t, "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,step01_init,step02_linear,stubformer\n\"    Points Possible\",,,,,10,20,30\n"+
		"\"Lovelace, Ada\",4711,u1,adal,A,10,20,30\n\"Turing, Alan\",4712,u2,alant,B,0,0,0\n", read(t, dir, marks.CanvasCSV))
	require.Equal(t, "\ufeffstudent,name,id,step01,step02,total,max,late_days,notes\n'=x,,,10,0,10,30,0,step02: wrong values\n"+
		"lovelaceada_4711,Ada Lovelace,4711,10,20,30,30,0,\n,Alan Turing,4712,0,0,0,30,0,handed in nothing\n", read(t, dir, marks.MarksCSV))
	checks := strings.Split(read(t, dir, marks.ChecksCSV), "\n")
	require.Contains(t, checks[0], "step02 linear.forward (")
	require.Contains(t, checks[2], "lovelaceada_4711,Ada Lovelace,4711,")
	require.NotContains(t, checks[2], ",,")

	moodle := rosterOf(t, "First name,Last name,ID number,Email address\nAda,Lovelace,lovelaceada_4711,ada@example.org\n")
	require.NoError(t, make1(t, scheme, ".", out, moodle).Write(dir, class.Book{Roster: moodle}))
	require.Equal(t, "First name,Last name,ID number,Email address,step01_init,step02_linear,stubformer\n"+
		"Ada,Lovelace,lovelaceada_4711,ada@example.org,10,20,30\n", read(t, dir, marks.MoodleCSV))
	sheet := rosterOf(t, "Identifier,Full name,Email address,Grade\nParticipant 4711,Ada Lovelace,ada@example.org,\n")
	handed := graded(t, map[string]map[string]int{"Ada Lovelace_4711_assignsubmission_file_": {"step01": all, "step02": all}})
	require.NoError(t, make1(t, scheme, ".", handed, sheet).Write(dir, class.Book{Roster: sheet}))
	require.Equal(t, "Identifier,Full name,Email address,Grade,Feedback comments\nParticipant 4711,Ada Lovelace,ada@example.org,30,\n", read(t, dir, marks.MoodleCSV))
}

// A pseudonym is the same for the same student and key, and nothing that is
// written with it holds the name.
func TestPseudonyms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	key, err := marks.OpenKey(path)
	require.NoError(t, err)
	again, err := marks.OpenKey(path)
	require.NoError(t, err)
	ada := &roster.Person{ID: "4711"}
	require.Equal(t, key.Alias("a", ada), again.Alias("b", ada))
	require.NotEqual(t, key.Alias("a", nil), key.Alias("b", nil))
	require.Regexp(t, "^s-[a-z2-7]{10}$", key.Alias("a", nil))
	other, err := marks.OpenKey(filepath.Join(t.TempDir(), "key"))
	require.NoError(t, err)
	require.NotEqual(t, key.Alias("a", nil), other.Alias("a", nil))
	require.NoError(t, os.WriteFile(path, []byte("secret"), 0o600))
	_, err = marks.OpenKey(path)
	require.ErrorContains(t, err, "holds no key of pseudonyms")

	out, dir := graded(t, map[string]map[string]int{"lovelaceada_4711": {"step01": all}, "turing": {}}), t.TempDir()
	store := class.Dir(filepath.Join(out, "results"))
	refused, err := store.Load("lovelaceada_4711")
	require.NoError(t, err)
	why := `it is in more than one place: "Ada Lovelace/new" and "old"` // where people call folders by their names
	refused.Submission.Folders["step01_init"] = &workspace.Folder{Refused: &workspace.RefusedError{File: "steps/step01_init", Reason: lang.Raw(why)}}
	first := &refused.Report.Steps[0]
	first.Message, first.Checks[0].Message, first.Verdict, first.Score = why, why, verdict.Refused, new(int)
	require.NoError(t, store.Save(refused))
	canvas := rosterOf(t, "Student,ID\n\"Lovelace, Ada\",4711\n\"Hopper, Grace\",4713\n")
	book := class.Book{Roster: canvas, Alias: key.Alias}
	_, err = book.Write(dir, class.Dir(filepath.Join(out, "results")))
	require.NoError(t, err)
	require.NoError(t, make1(t, "", ".", out, canvas).Write(dir, book))
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		text := path
		if !d.IsDir() {
			text += read(t, filepath.Dir(path), d.Name())
		}
		for _, name := range []string{"ovelace", "turing", "opper", "4711"} {
			require.NotContains(t, text, name)
		}
		return err
	}))
	require.Contains(t, read(t, dir, class.GradebookCSV), "step01: not allowed: steps/step01_init: it could not be read")
	require.Equal(t, 3, strings.Count(read(t, dir, class.GradebookCSV), "\ns-"))
	require.Equal(t, 3, strings.Count(read(t, dir, marks.MarksCSV), "\ns-"))
}

// The scheme in docs/instructors.md is one.
func TestTheDocumentedScheme(t *testing.T) {
	doc := read(t, filepath.Join("..", "..", "..", "docs"), "instructors.md")
	_, after, found := strings.Cut(doc, "\n    zone: ")
	require.True(t, found)
	block, _, found := strings.Cut("    zone: "+after, "\n\n")
	require.True(t, found)
	s, err := marks.Parse([]byte(strings.ReplaceAll("\n"+block, "\n    ", "\n")), "class", "results")
	require.NoError(t, err)
	require.Len(t, s.Steps, 2)
	require.Equal(t, []string{"linear.forward.rows"}, s.Steps[1].Without)
	require.Equal(t, []marks.Extension{{Who: "4711", Days: 3}, {Who: "ada@example.org", Steps: []string{"step02"}, Due: s.Extensions[1].Due}}, s.Extensions)
	require.Equal(t, "2026-10-26T23:59:00+01:00", s.Extensions[1].Due.Format(time.RFC3339))
	require.Equal(t, filepath.Join("class", "whose.csv"), s.Whose)
	require.Equal(t, "2026-10-19T23:59:59+02:00", s.Steps[1].Due.Format(time.RFC3339))
	require.Equal(t, filepath.Join("class", "results-late"), s.Collections[1].Results)
	require.Equal(t, marks.Late{Free: 3, Cost: 10, Most: 5}, s.Late)
}

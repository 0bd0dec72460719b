package marks_test

import (
	"encoding/csv"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/marks"
	"github.com/stubformer/stubformer/cmd/teach/roster"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// handIn says when a stored result was handed in, and by whom.
func handIn(t *testing.T, out, name, at string, by ...roster.Submitter) {
	t.Helper()
	store := class.Dir(filepath.Join(out, "results"))
	r, err := store.Load(name)
	require.NoError(t, err)
	r.By = by
	r.HandedIn, err = time.Parse(time.RFC3339Nano, at)
	require.NoError(t, err)
	require.NoError(t, store.Save(r))
}

// Days are those of the clocks in the deadline's zone, also when these are changed.
func TestDaysLate(t *testing.T) {
	out := graded(t, map[string]map[string]int{"ann": {"step01": all}})
	for _, c := range []struct {
		zone, due, at string
		want          int
	}{
		{"UTC", "2026-10-19 23:59", "2026-10-19T23:59:00Z", 0},
		{"UTC", "2026-10-19 23:59", "2026-10-19T23:59:01Z", 1},
		{"UTC", "2026-10-19 23:59", "2026-10-20T23:59:00Z", 1},
		{"UTC", "2026-10-19 23:59", "2026-10-20T23:59:01Z", 2},
		{"UTC", "2026-10-19", "2026-10-19T23:59:59.999Z", 0}, // the end of the day is its end
		{"UTC", "2026-10-19", "2026-10-20T00:00:00Z", 1},
		{"Europe/Berlin", "2026-10-24 23:59", "2026-10-25T22:59:00Z", 1}, // after 25 hours
		{"Europe/Berlin", "2026-10-24 23:59", "2026-10-25T22:59:01Z", 2},
		{"Europe/Berlin", "2026-10-24T23:59:00+02:00", "2026-10-25T22:59:00Z", 1},
		{"Europe/Berlin", "2026-10-20 23:59", "2026-10-26T22:59:00Z", 6},
		{"Europe/Berlin", "2026-03-28 23:59", "2026-03-29T21:59:00Z", 1}, // after 23 hours
		{"Europe/Berlin", "2026-03-28 23:59", "2026-03-29T21:59:01Z", 2},
		{"Europe/Berlin", "2026-03-28 23:59", "2026-03-29T22:30:00Z", 2},
		{"Europe/Berlin", "2026-03-28 02:30", "2026-03-29T01:30:00Z", 1}, // no clock shows 02:30
		{"Europe/Berlin", "2026-03-28 02:30", "2026-03-29T01:30:01Z", 2},
		{"Europe/Berlin", "2026-10-24 02:30", "2026-10-25T01:30:00Z", 1}, // they show it twice
		{"Europe/Berlin", "2026-10-24 02:30", "2026-10-25T01:30:01Z", 2},
		{"Europe/Berlin", "2026-10-25 02:30", "2026-10-25T01:30:00Z", 0},
		{"America/New_York", "2026-03-07 02:30", "2026-03-08T07:30:00Z", 1},
		{"America/New_York", "2026-10-31 01:30", "2026-11-01T06:30:00Z", 1},
		{"America/Santiago", "2026-09-05", "2026-09-06T03:59:59Z", 0}, // the next day begins at one
		{"America/Santiago", "2026-09-05", "2026-09-06T04:00:00Z", 1},
		{"Pacific/Apia", "2011-12-28 12:00", "2011-12-30T22:00:00Z", 2}, // there was no 30th
		{"Europe/Berlin", "2026-10-24 23:59", "2027-10-24T21:59:00Z", 365},
		{"Europe/Berlin", "2026-10-24 23:59", "2027-10-24T21:59:01Z", 366},
	} {
		handIn(t, out, "ann", c.at)
		table := make1(t, "zone: "+c.zone+"\nsteps: {step01: {due: '"+c.due+"'}}\nlate: {most: 9999}", ".", out, nil)
		require.Equal(t, c.want, table.Students[0].Late, "%s after %s in %s", c.at, c.due, c.zone)
	}
}

// A group's work is each member's, with that one's own deadline.
func TestGroupsAndExtensions(t *testing.T) {
	out := graded(t, map[string]map[string]int{"submission_1": {"step01": all, "step02": all}})
	handIn(t, out, "submission_1", "2026-10-21T12:00:00Z", roster.Submitter{ID: "101"}, roster.Submitter{ID: "102"}, roster.Submitter{ID: "103"})
	people := rosterOf(t, "First Name,Last Name,SID,Email\nAda,One,101,ada@x.org\nBo,Two,102,bo@x.org\nCy,Three,103,cy@x.org\nDi,Four,104,di@x.org\n")
	scheme := "steps: {step01: {weight: 10, due: 2026-10-19}, step02: {weight: 20, due: 2026-10-20}}\nlate: {cost: 10, most: 1}\n" +
		"extensions: [{who: BO@x.org, days: 2}, {who: 103, steps: [step01], due: 2026-10-20}, {who: Cy Three, due: '2026-10-20 12:00'}]"
	table := make1(t, scheme, ".", out, people)
	got := map[string][]float64{}
	for _, st := range table.Students {
		got[st.Person.ID] = []float64{st.Steps[0].Mark, st.Steps[1].Mark, float64(st.Late)}
	}
	require.Equal(t, map[string][]float64{"101": {0, 18, 3}, "102": {10, 20, 0}, "103": {9, 18, 2}, "104": {0, 0, 0}}, got)
	require.Equal(t, []string{"step01: extended to 2026-10-21 23:59 UTC", "step02: extended to 2026-10-22 23:59 UTC"}, table.Students[1].Notes[:2])
	s, err := marks.Parse([]byte(strings.Replace(scheme, "103", "109", 1)), ".", out)
	require.NoError(t, err)
	_, err = marks.Make(s, people)
	require.ErrorContains(t, err, `extensions: no student in the roster has the number, address, user or whole name "109"`)

	alone := make1(t, strings.NewReplacer("BO@x.org", "Submission_1", "103", "who").Replace(scheme), ".", out, nil)
	require.InDelta(t, 30, alone.Students[0].Total, 1e-9)
	require.Equal(t, []string{"who has an extension, and there is no submission of that name", "Cy Three has an extension, and there is no submission of that name"}, alone.Problems)

	require.NoError(t, people.Assign([]byte("submission,student\nsubmission_1,104\nsubmission_9,101\n")))
	table = make1(t, "", ".", out, people)
	require.Equal(t, "104", table.Students[0].Person.ID)
	require.InDelta(t, 200, table.Students[0].Total, 1e-9)
	require.Equal(t, []string{"submission_9: the scheme says whose it is, and there is no submission of that name"}, table.Problems)
}

// Canvas's columns are as Canvas wrote them, whatever they are, and no cell of any
// table is a formula.
func TestNoFormulas(t *testing.T) {
	out := graded(t, map[string]map[string]int{"=work": {"step01": all}})
	for text, want := range map[string]string{
		"Student,ID,SIS User ID,SIS Login ID,Integration ID,Root Account,Section,Step 1 (9)\n\" O'Brien, Zoë \",1,=cmd,@x,+1,-1,\t=A1,7\n\"-Smith, Jo\",2,u2,s2,,uni.edu,A,\n\"=\"\"=Eve\"\"\",3,,,,,,\n": "Student,ID,SIS User ID,SIS Login ID,Integration ID,Root Account,Section,step01_init,stubformer\n\"    Points Possible\",,,,,,,10,10\n" +
			"\" O'Brien, Zoë \",1,,,,,,0,0\n,2,u2,s2,,uni.edu,A,0,0\n,3,,,,,,0,0\n",
		"LastName,FirstName,ID,SIS Login ID,Section\nO'Brien,Zoë,1,z,A\n": "LastName,FirstName,ID,SIS Login ID,Section,step01_init,stubformer\n\"    Points Possible\",,,,,10,10\nO'Brien,Zoë,1,z,A,0,0\n",
	} {
		people, dir := rosterOf(t, text), t.TempDir()
		require.NoError(t, make1(t, "steps: {step01: {weight: 10}}", ".", out, people).Write(dir, class.Book{Roster: people}))
		require.Equal(t, want, read(t, dir, marks.CanvasCSV))
	}
	for _, text := range []string{
		"First name,Last name,ID number,Email address\n=A,+B,-1,@x.org\n",
		"Identifier,Full name,Email address\n=Participant 1,@Ada,-a@x.org\n",
		"Student,ID,SIS Login ID,Section\n=A,-1,+x,@y\n",
		"id,name\n@7,\t=A1\n",
		"identifier,github_username,name\n-a@x.org,x,＝A1\n",
	} {
		people, dir := rosterOf(t, text), t.TempDir()
		book := class.Book{Roster: people}
		require.NoError(t, make1(t, "", ".", out, people).Write(dir, book))
		_, err := book.Write(dir, class.Dir(filepath.Join(out, "results")))
		require.NoError(t, err)
		tables, err := filepath.Glob(filepath.Join(dir, "*.csv"))
		require.NoError(t, err)
		require.Greater(t, len(tables), 2)
		for _, table := range tables {
			rows, err := csv.NewReader(strings.NewReader(read(t, dir, filepath.Base(table)))).ReadAll()
			require.NoError(t, err)
			for _, row := range rows {
				for _, cell := range row {
					require.False(t, untrusted.Formula(cell), "%s: %q in %s", text, cell, table)
				}
			}
		}
	}
}

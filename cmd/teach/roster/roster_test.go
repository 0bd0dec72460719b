package roster_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/roster"
)

const (
	canvas = "\ufeffStudent,ID,SIS Login ID,Section,Step 1 (99)\n    Points Possible,,,,100\n\"Lovelace, Ada\",4711,adal,A,\n\"Turing, Alan\",4712,alant,B,\n"
	moodle = "First name,Last name,ID number,Email address\nAda,Lovelace,s1,ada@example.org\nZoë,Müller,s2,zoe@example.org\nAda,Lovelace,s3,other@example.org\n"
	sheet  = "Identifier;Full name;Email address;Status;Grade\nParticipant 4711;Ada Lovelace;ada@example.org;;\nParticipant 4712;Ada Lovelace;other@example.org;;\n"
	scope  = "First Name,Last Name,SID,Email,Role\nAda,Lovelace,s1,ada@example.org,Student\nAlan,Turing,,alan@example.org,Student\n"
	fifty  = "username,first_name,last_name,email,section,github_id,role\nadal,Ada,Lovelace,ada@example.org,A,1,student\na-turing,,,,,2,student\nturing,Alan,Turing,,,3,student\n"
	github = "identifier,github_username,github_id,name\nada@example.org,adal,1,\nturing,turing,2,Alan Turing\nother,a-turing,3,\nwho,,,\n"
)

// Whose a submission is, in the shapes in which the platforms name them.
func TestMatch(t *testing.T) {
	for name, c := range map[string]struct {
		roster   string
		handed   roster.Handed
		platform roster.Platform
		want     string // the ID; "" for nobody
	}{
		"Canvas":                   {canvas, roster.Handed{Name: "lovelaceada_4711"}, roster.Canvas, "4711"},
		"Canvas, by login":         {canvas, roster.Handed{Name: "alant"}, roster.Canvas, "4712"},
		"Canvas, by name":          {canvas, roster.Handed{Name: "Ada Lovelace"}, roster.Canvas, "4711"},
		"Canvas, nobody":           {canvas, roster.Handed{Name: "lovelaceada_4799"}, roster.Canvas, ""},
		"Moodle, by name":          {moodle, roster.Handed{Name: "Zoë Müller_99_assignsubmission_file_"}, roster.Moodle, "s2"},
		"Moodle, two of one name":  {moodle, roster.Handed{Name: "Ada Lovelace_99_assignsubmission_file_"}, roster.Moodle, ""},
		"Moodle, by number":        {sheet, roster.Handed{Name: "Ada Lovelace_4712_assignsubmission_file_"}, roster.Moodle, "other@example.org"},
		"Moodle, by address":       {moodle, roster.Handed{Name: "ada@example.org"}, roster.Moodle, "s1"},
		"Gradescope":               {scope, roster.Handed{Name: "submission_98765", By: []string{"Ada L.", "s1"}}, roster.Gradescope, "s1"},
		"Gradescope, without SID":  {scope, roster.Handed{Name: "submission_1", By: []string{"alan@example.org"}}, roster.Gradescope, "alan@example.org"},
		"Gradescope, said nowhere": {scope, roster.Handed{Name: "submission_1"}, roster.Gradescope, ""},
		"Classroom 50":             {fifty, roster.Handed{Name: "cs336-attention-AdaL"}, roster.Classroom50, "adal"},
		"Classroom 50, two fit":    {fifty, roster.Handed{Name: "cs336-attention-a-turing"}, roster.Classroom50, "a-turing"},
		"Classroom 50, by writer":  {fifty, roster.Handed{Name: "late", By: []string{"turing"}}, roster.Classroom50, "turing"},
		"GitHub":                   {github, roster.Handed{Name: "attention-AdaL"}, roster.GitHub, "ada@example.org"},
		"GitHub, the longer user":  {github, roster.Handed{Name: "attention-a-turing"}, roster.GitHub, "other"},
		"GitHub, the shorter user": {github, roster.Handed{Name: "attention-turing"}, roster.GitHub, "turing"},
		"a table":                  {"id,name\n7,Ada Lovelace\n", roster.Handed{Name: "ada lovelace"}, roster.Plain, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := roster.Parse([]byte(c.roster))
			require.NoError(t, err)
			require.Equal(t, c.platform, r.Platform)
			m := r.Match([]roster.Handed{c.handed})
			if c.want == "" {
				require.Empty(t, m.Of)
				require.Len(t, m.Problems, 1)
				require.Len(t, m.Absent, len(r.People))
				return
			}
			require.Empty(t, m.Problems)
			require.Equal(t, c.want, m.Of[c.handed.Name].ID)
			require.Len(t, m.Absent, len(r.People)-1)
		})
	}
}

func TestTwoSubmissionsOfOne(t *testing.T) {
	r, err := roster.Parse([]byte(canvas))
	require.NoError(t, err)
	m := r.Match([]roster.Handed{{Name: "lovelaceada_4711"}, {Name: "adal"}})
	require.Equal(t, []string{"Ada Lovelace (4711) has 2 submissions: lovelaceada_4711, adal; in the marks the best of them counts"}, m.Problems)
}

func TestWrongRosters(t *testing.T) {
	for data, want := range map[string]string{
		"":                           "the roster is empty",
		"a,b\n1,2\n":                 `the roster has the columns ["a" "b"]; want those of an export of Canvas`,
		"Student,ID\n":               "the roster has no students",
		"name\nann\nann\n":           "names ann twice, in rows 2 and 3",
		"name\n\"ann\n":              "is no CSV file that can be read",
		"Student,ID\nAda,7\nBob,7\n": "names 7 twice",
	} {
		_, err := roster.Parse([]byte(data))
		require.ErrorContains(t, err, want)
	}
}

package roster_test

import (
	"strings"
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
	odd    = "Student,ID,SIS Login ID,Section\n\"Smith2, Jo\",4712,js,A\n\"Ann, Lee\",9,la,A\n\"de_la Cruz, X_7_\",4715,x,A\n\"O'Brien-Smith, Zoe\u0308\",4716,z,A\n" +
		"\"=\"\"=Eve, Hax\"\"\",4717,h,A\n,,,,Manual Posting\n"
	teams  = "Student,ID,Section,Group\n\"Three, Member\",4711,A,Project Group 3\n\"Four, Member\",4799,A,project group 3\n\"Five, Member\",4800,A,Other\n\"Group 3, Project\",4801,A,\n"
	groups = "Full name,Identifier,Groups\nAda Lovelace,Participant 1,\"Tutorial A, Pair 7\"\nAlan Turing,Participant 2,Pair 7\n"
	named  = "Full name,Email address,Groups\nAda Lovelace,ada@x.org,Pair 7\nAlan Turing,alan@x.org,Pair 7\n"
)

func by(s ...roster.Submitter) []roster.Submitter { return s }

// Whose a submission is, in the shapes in which the platforms name them.
func TestMatch(t *testing.T) {
	for name, c := range map[string]struct {
		roster   string
		handed   roster.Handed
		platform roster.Platform
		want     string // the IDs; "" for nobody
	}{
		"Canvas":                   {canvas, roster.Handed{Name: "lovelaceada_4711"}, roster.Canvas, "4711"},
		"Canvas, by login":         {canvas, roster.Handed{Name: "alant"}, roster.Canvas, "4712"},
		"Canvas, by name":          {canvas, roster.Handed{Name: "Ada Lovelace"}, roster.Canvas, "4711"},
		"Canvas, nobody":           {canvas, roster.Handed{Name: "lovelaceada_4799"}, roster.Canvas, ""},
		"Moodle, by name":          {moodle, roster.Handed{Name: "Zoë Müller_99_assignsubmission_file_"}, roster.Moodle, "s2"},
		"Moodle, two of one name":  {moodle, roster.Handed{Name: "Ada Lovelace_99_assignsubmission_file_"}, roster.Moodle, ""},
		"Moodle, by number":        {sheet, roster.Handed{Name: "Ada Lovelace_4712_assignsubmission_file_"}, roster.Moodle, "other@example.org"},
		"Moodle, without its end":  {sheet, roster.Handed{Name: "Ada Lovelace_4712"}, roster.Moodle, "other@example.org"},
		"Moodle, another's number": {sheet, roster.Handed{Name: "Ada Lovelace_4713"}, roster.Moodle, ""},
		"Moodle, by address":       {moodle, roster.Handed{Name: "ada@example.org"}, roster.Moodle, "s1"},
		"Gradescope":               {scope, roster.Handed{Name: "submission_98765", By: by(roster.Submitter{Name: "Ada L.", ID: "s1"})}, roster.Gradescope, "s1"},
		"Gradescope, without SID":  {scope, roster.Handed{Name: "submission_1", By: by(roster.Submitter{Email: "alan@example.org"})}, roster.Gradescope, "alan@example.org"},
		"Gradescope, two at once":  {scope, roster.Handed{Name: "submission_1", By: by(roster.Submitter{ID: "s1", Email: "alan@example.org"})}, roster.Gradescope, ""},
		"Gradescope, by name":      {scope, roster.Handed{Name: "submission_1", By: by(roster.Submitter{Name: "ada lovelace"})}, roster.Gradescope, "s1"},
		"Gradescope, said nowhere": {scope, roster.Handed{Name: "submission_1"}, roster.Gradescope, ""},
		"Gradescope, a group":      {scope, roster.Handed{Name: "submission_1", By: by(roster.Submitter{ID: "s1"}, roster.Submitter{Email: "ALAN@example.org"})}, roster.Gradescope, "s1 alan@example.org"},
		"Classroom 50":             {fifty, roster.Handed{Name: "cs336-attention-AdaL", By: by(roster.Submitter{User: "AdaL"})}, roster.Classroom50, "adal"},
		"Classroom 50, no record":  {fifty, roster.Handed{Name: "cs336-attention-AdaL"}, roster.Classroom50, ""},
		"Classroom 50, unlinked":   {fifty, roster.Handed{Name: "cs336-attention-jin-turing", By: by(roster.Submitter{User: "jin-turing"})}, roster.Classroom50, ""},
		"Classroom 50, the dash":   {fifty, roster.Handed{Name: "late", By: by(roster.Submitter{User: "aturing"})}, roster.Classroom50, ""},
		"Classroom 50, no address": {fifty, roster.Handed{Name: "late", By: by(roster.Submitter{User: "ada"})}, roster.Classroom50, ""},
		"Classroom 50, by writer":  {fifty, roster.Handed{Name: "late", By: by(roster.Submitter{User: "turing"})}, roster.Classroom50, "turing"},
		"GitHub":                   {github, roster.Handed{Name: "AdaL"}, roster.GitHub, "ada@example.org"},
		"GitHub, by its end":       {github, roster.Handed{Name: "attention-AdaL"}, roster.GitHub, ""},
		"GitHub, the longer user":  {github, roster.Handed{Name: "attention-a-turing", By: by(roster.Submitter{User: "a-turing"})}, roster.GitHub, "other"},
		"GitHub, the shorter user": {github, roster.Handed{Name: "attention-turing", By: by(roster.Submitter{User: "turing"})}, roster.GitHub, "turing"},
		"GitHub, a team":           {github, roster.Handed{Name: "attention-two", By: by(roster.Submitter{User: "turing"}, roster.Submitter{User: "a-turing"}, roster.Submitter{User: "gone"})}, roster.GitHub, "turing other"},
		"a table":                  {"id,name\n7,Ada Lovelace\n", roster.Handed{Name: "ada lovelace"}, roster.Plain, "7"},
		"a table, of Excel":        {"sep=;\r\nid;name\r\n7;Ada Lovelace\r\n", roster.Handed{Name: "ada lovelace"}, roster.Plain, "7"},
		"a table, in another form": {"id,name\n7,José Nuñez\n", roster.Handed{Name: "Jose\u0301 Nun\u0303ez"}, roster.Plain, "7"},
		"a table, by login":        {"id,name,email\n7,Ada Lovelace,adal@x.org\n", roster.Handed{Name: "adal"}, roster.Plain, "7"},
		"a table, of two":          {"id,name,email\n7,Ada Lovelace,adal@x.org\n8,Adal,b@x.org\n", roster.Handed{Name: "adal"}, roster.Plain, ""},
		"a table, a group":         {"name,team\nAda,Pair 7\nBo,pair-7\nCy,Pair 8\n", roster.Handed{Name: "pair7"}, roster.Plain, "Ada Bo"},
		"a table, a group's name":  {"name,team\nAda,Cy\nBo,Cy\nCy,\n", roster.Handed{Name: "Cy"}, roster.Plain, ""},
		"Canvas, a digit":          {odd, roster.Handed{Name: "smith2jo_4712", By: by(roster.Submitter{Number: "4712", Name: "smith2jo"})}, roster.Canvas, "4712"},
		"Canvas, a short number":   {odd, roster.Handed{Name: "annlee_9", By: by(roster.Submitter{Number: "9", Name: "annlee"})}, roster.Canvas, "9"},
		"Canvas, by its folder":    {odd, roster.Handed{Name: "annlee_9"}, roster.Canvas, "9"},
		"Canvas, underscores":      {odd, roster.Handed{Name: "de_lacruzx7_4715"}, roster.Canvas, "4715"},
		"Canvas, signs and marks":  {odd, roster.Handed{Name: "obriensmithzoë_4716"}, roster.Canvas, "4716"},
		"Canvas, like a formula":   {odd, roster.Handed{Name: "evehax_4717"}, roster.Canvas, "4717"},
		"Canvas, another's number": {odd, roster.Handed{Name: "homework_4712"}, roster.Canvas, ""},
		"Canvas, anonymous":        {odd, roster.Handed{Name: "anon_a1B2c"}, roster.Canvas, ""},
		"Canvas, a group":          {teams, roster.Handed{Name: "projectgroup3_4711", By: by(roster.Submitter{Number: "4711", Name: "projectgroup3"})}, roster.Canvas, "4711 4799"},
		"Canvas, not of the group": {teams, roster.Handed{Name: "projectgroup3_4800", By: by(roster.Submitter{Number: "4800", Name: "projectgroup3"})}, roster.Canvas, ""},
		"Canvas, no group's name":  {teams, roster.Handed{Name: "group3project_4801", By: by(roster.Submitter{Number: "4801", Name: "group3project"})}, roster.Canvas, "4801"},
		"Moodle, a group's number": {groups, roster.Handed{Name: "Pair 7-Alan Turing_2_assignsubmission_file_"}, roster.Moodle, "2"},
		"Moodle, a group's name":   {named, roster.Handed{Name: "Pair 7-Alan Turing_99_assignsubmission_file"}, roster.Moodle, "alan@x.org"},
		"Moodle, nobody's name":    {named, roster.Handed{Name: "Alan_99_assignsubmission_file"}, roster.Moodle, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := roster.Parse([]byte(c.roster))
			require.NoError(t, err)
			require.Empty(t, r.Notes)
			require.Equal(t, c.platform, r.Platform)
			m := r.Match([]roster.Handed{c.handed})
			if c.want == "" {
				require.Empty(t, m.Of)
				require.NotEmpty(t, m.Problems)
				require.Len(t, m.Absent, len(r.People))
				return
			}
			var ids []string
			for _, p := range m.Of[c.handed.Name] {
				ids = append(ids, p.ID)
			}
			require.Equal(t, c.want, strings.Join(ids, " "))
			require.Len(t, m.Absent, len(r.People)-len(ids))
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
		"":                             "the roster is empty",
		"a,b\n1,2\n":                   `the roster has the columns ["a" "b"]; want those of an export of Canvas`,
		"Student,ID\n":                 "the roster has no students",
		"name\nann\nann\n":             "names ann twice, in rows 2 and 3",
		"name\n\"ann\n":                "is no CSV file that can be read",
		"Student,ID\nAda,7\nBob,7\n":   "names 7 twice",
		"name\nann\nZo\xeb\n":          "the roster is not in UTF-8, as line 3 shows; save it as “CSV UTF-8”",
		"\xff\xfen\x00a\x00m\x00e\x00": "the roster is in UTF-16, which Excel calls Unicode text; save it as “CSV UTF-8”",
		"n\x00a\x00m\x00e\x00":         "is not in UTF-8, as line 1 shows",
		"PK\x03\x04\x14\x00":           "the roster is a workbook of a spreadsheet (.xlsx or .ods) and no CSV file; save it as “CSV UTF-8”",
		"\xd0\xcf\x11\xe0\xa1\xb1":     "the roster is a workbook of Excel (.xls) and no CSV file",
		"sep=;\n":                      "is empty; want a row of names of columns",
		"name,role\nann,TA\n":          "the roster has no students",
	} {
		_, err := roster.Parse([]byte(data))
		require.ErrorContains(t, err, want)
	}
}

// What is odd about a submission that is somebody's, or nobody's, is said.
func TestProblems(t *testing.T) {
	canvas, err := roster.Parse([]byte(odd))
	require.NoError(t, err)
	fifty, err := roster.Parse([]byte("username,first_name,last_name,email,role\nlee,Lee,Kim,lee@x.org,student\nteach,Te,Acher,t@x.org,teacher\n"))
	require.NoError(t, err)
	for _, c := range []struct {
		roster *roster.Roster
		handed roster.Handed
		want   string
	}{
		{canvas, roster.Handed{Name: "team_4712", By: by(roster.Submitter{Number: "4712", Name: "team"})},
			"team_4712: by its number it is Jo Smith2's (4712), by its name not; if it is the work of a group, say in the scheme who else's"},
		{fifty, roster.Handed{Name: "hw1-jin-lee"}, "hw1-jin-lee: nobody in the roster is called so; it ends as lee does, which says nothing; it has a row of its own"},
		{fifty, roster.Handed{Name: "hw1-jin-lee", By: by(roster.Submitter{User: "jin-lee"})}, "hw1-jin-lee: nobody in the roster is jin-lee; it has a row of its own"},
		{fifty, roster.Handed{Name: "try", By: by(roster.Submitter{User: "teach"})}, "try: it is of Te Acher (teach), who is no student but teacher; it has a row of its own"},
		{fifty, roster.Handed{Name: "two", By: by(roster.Submitter{User: "lee"}, roster.Submitter{User: "bo"})}, "two: nobody in the roster is bo"},
	} {
		m := c.roster.Match([]roster.Handed{c.handed})
		require.Contains(t, m.Problems[0], c.want)
		if strings.Contains(c.want, "says nothing") {
			require.Contains(t, m.Problems[1], "repositories are called ASSIGNMENT-USER, and ASSIGNMENT is not known: leave the folder")
			m.Problems = m.Problems[1:]
		}
		require.Len(t, m.Problems, 1)
	}
}

// Who teaches has no row, and everybody else has one: whoever has no user yet, whose
// role has a name that is unknown here, and who has two roles.
func TestWhoLearns(t *testing.T) {
	for text, want := range map[string]string{
		"username,first_name,last_name,email,section,github_id,role\nadal,Ada,L,ada@x.org,A,1,student\n,Bo,Two,bo@x.org,A,,student\n,,,cy@x.org,A,,\nteach,Te,Acher,,,3,teacher\nhelp,,,,,4,hta\n": "adal bo@x.org cy@x.org",
		"First Name,Last Name,SID,Email,Role\nAda,One,101,a@x.org,Student\nProf,Essor,1,p@x.org,Instructor\nTea,Ay,2,t@x.org,TA\nRe,Ader,,r@x.org,Reader\nBo,Two,,,Student\n":                      "101 Bo Two",
		"First name,Last name,Email address,Roles\nAda,One,a@x.org,Teilnehmer/in\nBo,Two,b@x.org,\"Student, Teacher\"\nCy,Three,c@x.org,Non-editing teacher\n":                                     "a@x.org b@x.org",
		"identifier,github_username,github_id,name\n,adal,1,\nwho,,,\n":           "adal who",
		"name,role\nAda,student\nAda,teaching assistant\nBo,Teaching Assistant\n": "Ada",
	} {
		r, err := roster.Parse([]byte(text))
		require.NoError(t, err)
		var ids []string
		for _, p := range r.People {
			ids = append(ids, p.ID)
		}
		require.Equal(t, want, strings.Join(ids, " "))
		require.Empty(t, r.Notes)
	}
	r, err := roster.Parse([]byte("username,first_name,last_name,email,section\nadal,Ada,L,,A\n,,,,B\n\n,,,,\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"row 3 of the roster names nobody, and is left out"}, r.Notes)
}

// A file can say whose submissions are, against everything else.
func TestAssign(t *testing.T) {
	parse := func() *roster.Roster {
		r, err := roster.Parse([]byte(canvas))
		require.NoError(t, err)
		return r
	}
	r := parse()
	require.NoError(t, r.Assign([]byte("\ufeffsubmission;student\nanon_a1B2c;4711\nwork;adal\nWork;Alan Turing\nlovelaceada_4711;\n")))
	m := r.Match([]roster.Handed{{Name: "anon_a1B2c"}, {Name: "work", By: by(roster.Submitter{Number: "4712"})}, {Name: "lovelaceada_4711"}})
	ids := func(people []*roster.Person) (ids []string) {
		for _, p := range people {
			ids = append(ids, p.ID)
		}
		return ids
	}
	require.Equal(t, []string{"4711"}, ids(m.Of["anon_a1B2c"]))
	require.Equal(t, []string{"4711", "4712"}, ids(m.Of["work"]))
	require.Empty(t, m.Of["lovelaceada_4711"])
	require.Equal(t, []string{"lovelaceada_4711", "work"}, r.Unseen([]string{"anon_a1B2c"}))

	r = parse() // Canvas's export of groups
	require.NoError(t, r.Assign([]byte("name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id\n\"Lovelace, Ada\",4711,,adal,A,Pair 7,1,\n"+
		"\"Turing, Alan\",4712,,alant,B,Pair 7,1,\n\"Gone, Bo\",4713,,bo,B,Pair 7,1,\n\"Alone, Cy\",4714,,cy,B,,,\n")))
	m = r.Match([]roster.Handed{{Name: "pair7_4712", By: by(roster.Submitter{Number: "4712", Name: "pair7"})}})
	require.Equal(t, []string{"4711", "4712"}, ids(m.Of["pair7_4712"]))
	require.Equal(t, []string{`the group Pair 7: no student in the roster has the number, address, user or whole name "4713"`}, m.Problems)

	for text, want := range map[string]string{
		"submission,student\nwork,nobody\n": `is wrong in row 2: no student in the roster has the number, address, user or whole name "nobody"`,
		"a,b\n":                             `has the columns ["a" "b"]; want submission (or group) and student`,
		"":                                  "is empty",
		"submission,student\nx,Zo\xeb\n":    "is not in UTF-8, as line 2 shows",
	} {
		require.ErrorContains(t, parse().Assign([]byte(text)), want)
	}
}

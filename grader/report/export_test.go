package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/newline"
)

var update = flag.Bool("update", false, "write the golden files")

// nasty is what a hostile program could have printed.
const nasty = "\x1b[31m=cmd|' /C calc'!A1\x1b[0m \x00\x08\x0b \xff\xfe ]]> </failure> ``` ```` | <script>\r\nÅ 語"

// check is one check as its verdict makes it.
func check(id string, kind verdict.Kind, points, top int, message string) Check {
	return Check{ID: id, Title: "the title of " + id, Points: points, Max: top, Verdict: kind, Message: message,
		Diagnosis: verdict.Diagnosis{Kind: "none"}, Seconds: 0.25}
}

func reportOf(steps ...Step) *Report {
	r := &Report{Schema: Schema, Kit: "0.1.0", Fixtures: "0123456789ab", Impl: "mine", Seed: 7}
	for _, s := range steps {
		s.Close()
		r.Steps = append(r.Steps, s)
	}
	return r
}

func stepOf(id, name string, checks ...Check) Step {
	return Step{ID: id, Name: name, Title: "The step of " + name, Checks: checks}
}

// reports are what every format has to cope with.
func reports() map[string]*Report {
	const refused = "steps/step04_rmsnorm/rmsnorm.go:3: undefined: x"
	refusedStep := stepOf("step04", "rmsnorm",
		check("rmsnorm.forward", verdict.CompileError, 0, 60, refused), check("rmsnorm.backward", verdict.CompileError, 0, 40, refused))
	refusedStep.Message = refused
	return map[string]*Report{
		"mixed": reportOf(
			stepOf("step02", "linear", check("linear.forward", verdict.Passed, 60, 60, ""), check("linear.backward", verdict.WrongValues, 0, 40, "first wrong (0, 1): got 2, want 3")),
			stepOf("step05", "swiglu", check("silu.forward", verdict.Panic, 0, 50, nasty), check("swiglu.forward", verdict.NotImplemented, 0, 30, "SwiGLU.Forward"), check("swiglu.backward", verdict.Blocked, 0, 20, "step05 needs step02 first")),
		),
		"refused": reportOf(refusedStep),
		"grader-error": reportOf(
			stepOf("step02", "linear", check("linear.forward", verdict.Passed, 60, 60, ""), check("linear.backward", verdict.GraderError, 0, 40, "no space left on device")),
		),
	}
}

func setting() Setting {
	env := map[string]string{"CLASSROOM": "llm-2026", "ASSIGNMENT": "transformer", "SUBMISSION_TAG": "submit/2026-11-21T10-00-00Z-abc1234",
		"COMMIT_URL": "https://github.com/o/r/commit/abc", "RELEASE_URL": "https://github.com/o/r/releases/tag/submit%2Fx"}
	return Setting{Env: func(name string) string { return env[name] }, Now: time.Date(2026, 11, 21, 11, 2, 3, 0, time.FixedZone("CET", 3600)),
		Place: func(step, check, _ string) (string, int) { return "steps/" + step + ".go", len(check) }}
}

// Every format of every report is a golden file: testdata/FORMAT/REPORT.
func TestGolden(t *testing.T) {
	for name, r := range reports() {
		for _, f := range Formats()[2:] { // the text format and the editor's have tests of their own
			t.Run(f.Name+"/"+name, func(t *testing.T) {
				var got bytes.Buffer
				err := f.Write(r, &got, setting())
				if f.Name == "classroom50" && name == "grader-error" {
					require.ErrorContains(t, err, "The grader itself failed")
					require.Empty(t, got.String(), "a score that is not there must not be written as 0")
					return
				}
				require.NoError(t, err)
				file := filepath.Join("testdata", f.Name, name)
				if *update {
					require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
					require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err, "run go test ./grader/report -update")
				require.Equal(t, newline.Unix(string(want)), got.String())
			})
		}
	}
}

func written(t *testing.T, format string, r *Report) []byte {
	t.Helper()
	f, err := FormatNamed(format)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, f.Write(r, &b, setting()))
	return b.Bytes()
}

// object reads a JSON object and fails at a field that the platform does not
// know or that has another type. Optional names end in "?".
func object(t *testing.T, v any, fields map[string]string) map[string]any {
	t.Helper()
	m, ok := v.(map[string]any)
	require.True(t, ok, "%v is no object", v)
	for name, value := range m {
		kind, known := fields[name]
		if !known {
			kind, known = fields[name+"?"]
		}
		require.True(t, known, "the platform has no field %q", name)
		require.Equal(t, kind, typeOf(value), "type of %q", name)
	}
	for name := range fields {
		if !strings.HasSuffix(name, "?") {
			require.Contains(t, m, name)
		}
	}
	return m
}

func typeOf(v any) string {
	switch v := v.(type) {
	case bool:
		return "bool"
	case string:
		return "string"
	case []any:
		return "array"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "integer"
		}
		return "number"
	}
	return "object"
}

func parse(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&v))
	return v
}

// The fields, types and limits are those of
// https://gradescope-autograders.readthedocs.io/en/latest/specs/
func TestGradescope(t *testing.T) {
	visibility := []any{"hidden", "after_due_date", "after_published", "visible"}
	formats := []any{"text", "html", "simple_format", "md", "ansi"}
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			top := object(t, parse(t, written(t, "gradescope", r)), map[string]string{
				"score?": "integer", "execution_time": "number", "output": "string", "output_format": "string",
				"visibility": "string", "stdout_visibility": "string", "tests": "array"})
			require.Contains(t, visibility, top["visibility"])
			require.Contains(t, visibility, top["stdout_visibility"])
			require.Contains(t, formats, top["output_format"])
			for _, v := range top["tests"].([]any) {
				test := object(t, v, map[string]string{"score?": "integer", "max_score": "integer", "status": "string", "name": "string",
					"name_format": "string", "number": "string", "output": "string", "output_format": "string", "tags": "array", "visibility": "string"})
				require.Contains(t, []any{"passed", "failed"}, test["status"])
				require.Contains(t, formats, test["output_format"])
				require.Contains(t, visibility, test["visibility"])
				require.Equal(t, r.GraderFailed(), test["score"] == nil, "a grader error is never a zero")
			}
			require.Equal(t, r.GraderFailed(), top["score"] == nil, "a grader error is never a zero")
		})
	}
}

// The fields, types and limits are those of
// https://prairielearn.readthedocs.io/en/latest/externalGrading/#grading-results
func TestPrairieLearn(t *testing.T) {
	gradable := map[string]bool{"mixed": true}
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			top := object(t, parse(t, written(t, "prairielearn", r)), map[string]string{"gradable": "bool", "score?": "number",
				"format_errors?": "array", "message": "string", "output": "string", "tests": "array"})
			require.Equal(t, gradable[name], top["gradable"])
			require.Equal(t, gradable[name], top["score"] != nil)
			require.Equal(t, gradable[name], top["format_errors"] == nil)
			if score, ok := top["score"].(json.Number); ok {
				f, err := score.Float64()
				require.NoError(t, err)
				require.InDelta(t, 60.0/200, f, 1e-12)
			}
			for _, v := range top["tests"].([]any) {
				object(t, v, map[string]string{"name": "string", "description": "string", "points": "integer", "max_points": "integer", "message": "string", "output": "string"})
			}
		})
	}
}

// The fields and types are those of
// https://github.com/foundation50/classroom50/wiki/Advanced-Autograding#the-resultjson-contract
func TestClassroom50(t *testing.T) {
	top := object(t, parse(t, written(t, "classroom50", reports()["mixed"])), map[string]string{"schema": "string", "classroom": "string",
		"assignment": "string", "submission": "string", "commit": "string", "release": "string", "review": "string", "datetime": "string",
		"score": "integer", "max-score": "integer", "tests": "array"})
	require.Equal(t, "classroom50/result/v1", top["schema"])
	require.Equal(t, "2026-11-21T10:02:03Z", top["datetime"])
	sum := map[string]int64{}
	for _, v := range top["tests"].([]any) {
		test := object(t, v, map[string]string{"test-name": "string", "passed": "bool", "score": "integer", "max-score": "integer", "verdict": "string", "output?": "string"})
		for _, field := range []string{"score", "max-score"} {
			n, err := test[field].(json.Number).Int64()
			require.NoError(t, err)
			sum[field] += n
		}
	}
	for field, want := range sum {
		require.Equal(t, json.Number(strconv.FormatInt(want, 10)), top[field], "%s is the sum of the tests'", field)
	}
	s := setting()
	s.Env = func(string) string { return "" }
	require.ErrorContains(t, reports()["mixed"].WriteClassroom50(&bytes.Buffer{}, s), "CLASSROOM is not set")
}

// node is any element of an XML document.
type node struct {
	XMLName    xml.Name
	Attributes []xml.Attr `xml:",any,attr"`
	Text       string     `xml:",chardata"`
	Inside     []node     `xml:",any"`
}

// is returns the value of an attribute.
func (n node) is(name string) string {
	for _, a := range n.Attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// The counts in the attributes are those of the elements, and every character
// is one that XML 1.0 allows.
func TestJUnit(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			data := written(t, "junit", r)
			var all node
			require.NoError(t, xml.Unmarshal(data, &all))
			require.Equal(t, "testsuites", all.XMLName.Local)
			sum := map[string]int{}
			for i, s := range all.Inside {
				count := map[string]int{}
				for _, c := range s.Inside[1:] { // behind the properties
					require.Equal(t, "testcase", c.XMLName.Local)
					require.True(t, strings.HasPrefix(c.is("classname"), r.Steps[i].ID), "the step stands in the classname")
					count["tests"]++
					for _, why := range c.Inside {
						count[map[string]string{"failure": "failures", "error": "errors", "skipped": "skipped"}[why.XMLName.Local]]++
					}
				}
				for _, kind := range []string{"tests", "failures", "errors", "skipped"} {
					require.Equal(t, strconv.Itoa(count[kind]), s.is(kind), kind)
					sum[kind] += count[kind]
				}
			}
			for kind, n := range sum {
				require.Equal(t, strconv.Itoa(n), all.is(kind), kind)
			}
			require.Equal(t, r.GraderFailed(), sum["errors"] > 0)
			require.NotContains(t, string(data), "\x1b")
			require.NotContains(t, string(data), "\x00")
		})
	}
}

// What a text holds is read as the standard library reads it, and what XML cannot hold is
// replaced as it does.
func TestElement(t *testing.T) {
	for _, text := range []string{nasty, "", "a\tb\r\nc", "<&>\"']]>", "\u0001\ufffe\uffff\ud7ff\ue000\U00010000\U0010ffff", "\xff\xe2\x82"} {
		var out, want bytes.Buffer
		require.NoError(t, element{name: "e", attributes: []attribute{{"a", text}}, text: text}.document(&out))
		require.NoError(t, xml.EscapeText(&want, []byte(text)))
		require.Contains(t, out.String(), "a=\""+want.String()+"\">"+want.String()+"</e>")
		var read node
		require.NoError(t, xml.Unmarshal(out.Bytes(), &read))
		require.Equal(t, read.is("a"), read.Text)
	}
}

func TestCSV(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(written(t, "csv", reports()["mixed"]))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+5)
	for _, row := range rows {
		for _, text := range row {
			require.NotRegexp(t, `^[=+@-]`, text, "a spreadsheet would take this for a formula")
		}
	}
	rows, err = csv.NewReader(bytes.NewReader(written(t, "csv", reports()["grader-error"]))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"60", ""}, []string{rows[1][5], rows[2][5]})
}

// PrairieLearn refuses more than 1 MB, GitHub a summary of more than 1 MiB.
func TestLargeMessagesAreCut(t *testing.T) {
	var steps []Step
	for _, id := range []string{"step01", "step02", "step03", "step04", "step05", "step06", "step07", "step08", "step09", "step10", "step11"} {
		s := stepOf(id, "big")
		for i := range 12 {
			s.Checks = append(s.Checks, check(id+strconv.Itoa(i), verdict.Panic, 0, 5, strings.Repeat("<語\n", i+20_000)))
		}
		steps = append(steps, s)
	}
	for _, format := range []string{"gradescope", "prairielearn", "classroom50", "junit", "csv", "markdown"} {
		require.Less(t, len(written(t, format, reportOf(steps...))), 1_000_000, format)
	}
}

func TestFormatNamed(t *testing.T) {
	f, err := FormatNamed("terminal")
	require.NoError(t, err)
	require.Equal(t, Text, f.Name)
	_, err = FormatNamed("pdf")
	require.EqualError(t, err, `--format is "pdf"; want text, editor, json, junit, gradescope, prairielearn, classroom50, csv, markdown`)
}

// An editor is told each reason once, where it is, and what is not written as a warning.
func TestEditor(t *testing.T) {
	panicked := &verdict.Failure{Kind: verdict.Panic, Message: lang.Raw("panic: ups"), Detail: "swiglu.go:9 Forward"}
	todo := &verdict.Failure{Kind: verdict.NotImplemented, What: "step05: DFF", Message: lang.Raw("step05: DFF is not implemented yet")}
	doubled := &verdict.Failure{Kind: verdict.WrongValues, Diagnosis: verdict.Diagnosis{Kind: verdict.Mistake, ID: "w1-twice",
		Known: []verdict.Known{{ID: "w1-twice", Title: lang.Raw("W1 is taken twice"), Advice: lang.Raw("W3 for the\nother.")}}}}
	r := &Report{Steps: []Step{{ID: "step05", Checks: []Check{
		{ID: "silu", Title: "SiLU", Verdict: verdict.Passed},
		{ID: "dff", Title: "d_ff", Verdict: verdict.NotImplemented, Failure: todo},
		{ID: "swiglu", Title: "the forward pass", Verdict: verdict.WrongValues, Message: "wrong\nvalues", Failure: doubled},
		{ID: "one", Title: "one", Verdict: verdict.Panic, Failure: panicked},
		{ID: "swiglu.fresh", Title: "the same again", Verdict: verdict.WrongValues, Failure: doubled},
		{ID: "two", Title: "two", Verdict: verdict.Panic, Failure: panicked},
		{ID: "w.decay", Title: "the decay", Verdict: verdict.WrongValues},
	}}}}
	asked := map[string]int{}
	var b strings.Builder
	require.NoError(t, r.WriteEditor(&b, Setting{Place: func(step, about, message string) (string, int) {
		if asked[about] == 0 {
			asked[about] = len(asked) + 1
		}
		return "steps/step05_swiglu/swiglu.go", asked[about]
	}}))
	_, lines, found := strings.Cut(b.String(), "\n\nsteps/")
	require.True(t, found)
	require.Equal(t, "step05_swiglu/swiglu.go:1:1: error: the forward pass: wrong values. W1 is taken twice. fix: W3 for the other.\n"+
		"steps/step05_swiglu/swiglu.go:2:1: error: panic: ups\n"+
		"steps/step05_swiglu/swiglu.go:3:1: error: the decay: wrong values\n"+
		"steps/step05_swiglu/swiglu.go:4:1: warning: step05: DFF is not implemented yet\n", lines)
}

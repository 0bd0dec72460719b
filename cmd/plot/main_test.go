package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure"
)

// Every picture of docs/figures is made by a command that its README gives, and
// is small enough to be kept.
func TestPicturesOfTheRepository(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "figures")
	readme, err := os.ReadFile(filepath.Join(folder, "README.md"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, i := range figure.List() {
		names[i.Name] = true
	}
	commands := map[string]string{} // by picture
	for _, m := range regexp.MustCompile("`go run ./cmd/grade plot (\\w+) (.*)--out docs/figures/(\\S+)`").FindAllStringSubmatch(string(readme), -1) {
		require.True(t, names[m[1]], "there is no figure %s", m[1])
		require.NoError(t, newPlot(lang.Printer{}, nil).ParseFlags(strings.Fields(m[2])), m[2])
		commands[m[3]] = m[0]
	}
	for _, m := range regexp.MustCompile("`go run ./cmd/grade dev (?:film|dashboard) docs/figures/(\\S+)`").FindAllStringSubmatch(string(readme), -1) {
		commands[m[1]] = m[0]
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() == "README.md" {
			continue
		}
		require.NotEmpty(t, commands[e.Name()], "README.md does not say how %s is made", e.Name())
		delete(commands, e.Name())
		info, err := e.Info()
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(150_000), e.Name())
	}
	require.Empty(t, commands, "pictures that README.md names and that are missing")
}

// The pictures are those that today's code draws. What shows a training or a speed is drawn
// with the same pen; what runs the solutions is seen to be the same with SWEEP=1.
func TestPicturesAreOfToday(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "figures")
	readme, err := os.ReadFile(filepath.Join(folder, "README.md"))
	require.NoError(t, err)
	style := regexp.MustCompile(`(?s)<style>.*</style>`)
	drawn := func(args ...string) string {
		out := filepath.Join(t.TempDir(), "picture.svg")
		require.Equal(t, 0, execute(t.Context(), nil, append(args, "--out", out)), args)
		picture, err := os.ReadFile(out)
		require.NoError(t, err)
		return string(picture)
	}
	pen := style.FindString(drawn("memory"))
	require.NotEmpty(t, pen)
	for _, m := range regexp.MustCompile("`go run ./cmd/grade plot (.*) --out docs/figures/(\\S+)`").FindAllStringSubmatch(string(readme), -1) {
		kept, err := os.ReadFile(filepath.Join(folder, m[2]))
		require.NoError(t, err)
		require.Equal(t, pen, style.FindString(string(kept)), m[2])
		require.Regexp(t, `<svg[^>]* role="img" aria-labelledby="title about">\s*<title id="title">.+</title>\s*<desc id="about">.+</desc>`, string(kept), m[2])
		measured := strings.Contains(m[1], "--run") || strings.HasPrefix(m[1], "matmul")
		if measured || strings.Contains(m[1], "--impl") && !sweep.On() {
			continue
		}
		require.True(t, drawn(strings.Fields(m[1])...) == string(kept), "%s is older than the code that draws it: %s", m[2], m[0])
	}
}

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		args string
		want int
	}{
		{"", 0}, {"--help", 0}, {"pie", exitUsage}, {"rope hope", exitUsage}, {"--colour", exitUsage}, {"rope --out rope.pdf", exitUsage},
		{"rope --impl theirs", exitUsage}, {"loss", exitUsage}, {"loss --run nowhere", exitFailed}, {"ladder --data nowhere.json", exitFailed},
		{"ladder --data main.go", exitFailed}, // no JSON
	} {
		require.Equal(t, c.want, execute(context.Background(), nil, strings.Fields(c.args)), c.args)
	}
	out := filepath.Join(t.TempDir(), "memory.svg")
	require.Equal(t, 0, execute(context.Background(), nil, []string{"memory", "--out", out}))
	require.FileExists(t, out)

	card := filepath.Join(t.TempDir(), "mine.png") // whose ending may be said
	require.Equal(t, 0, execute(context.Background(), nil, []string{"card", "--quick", "--out", card}))
	require.FileExists(t, card)
	require.FileExists(t, strings.TrimSuffix(card, ".png")+".svg")
}

// The list, the help and the errors are said in the language asked for; what
// stands in a picture is English, since its fonts have no Chinese characters.
func TestInChinese(t *testing.T) {
	for args, locale := range map[string]string{"--lang zh": "", "rope --impl solutions --lang=zh": "en_GB", "--help --lang zh": "", "rope --out x.png": "zh_CN.UTF-8"} {
		p, err := speaker(strings.Fields(args), func(name string) string { return map[string]string{"LANG": locale}[name] })
		require.NoError(t, err)
		require.Equal(t, "查询", p.Say("query"), args)
	}
	_, err := speaker([]string{"--lang", "fr"}, os.Getenv)
	require.EqualError(t, err, `there is no language "fr"; want en or zh`)

	p, err := lang.For("zh")
	require.NoError(t, err)
	said := func(args ...string) string {
		var out strings.Builder
		cmd := newRoot(p, nil)
		cmd.SetOut(&out)
		cmd.SetArgs(named(cmd, args))
		if err := cmd.Execute(); err != nil {
			return p.Error(err)
		}
		return out.String()
	}
	require.Contains(t, said(), "训练损失和验证损失")
	require.Contains(t, said("--help"), "图片里的文字都是英文")
	require.Contains(t, said("pie"), `没有图 "pie"；可选：init`)
	out := filepath.Join(t.TempDir(), "memory.svg")
	require.Equal(t, out+"\n", said("memory", "--out", out, "--lang", "zh"))
	picture, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Contains(t, string(picture), "Memory as the context grows")
}

// The help names a command as it is called, whether grade calls it or somebody this program.
func TestUsageNamesTheCommand(t *testing.T) {
	for args, want := range map[string]string{"--help": "grade plot [NAME] [flags]", "plot rope --help": "grade plot [NAME] [flags]",
		"card --help": "grade card [flags]", "--lang en card --help": "grade card [flags]"} {
		var out strings.Builder
		cmd := newRoot(lang.Printer{}, nil)
		cmd.SetOut(&out)
		cmd.SetArgs(named(cmd, strings.Fields(args)))
		require.NoError(t, cmd.Execute())
		require.Contains(t, out.String(), "Usage:\n  "+want+"\n", args)
	}
}

package main

import "strings"

// text is a sentence in the languages that grade speaks. The catalogue of grader/lang would
// be too much to compile before the first word.
type text struct{ en, zh string }

// words says a text in the reader's language.
type words func(text) string

var (
	building = text{"The grader is compiled once, which takes about half a minute. Meanwhile: %s", "批改程序只需编译一次，约半分钟。不妨先读：%s"}
	another  = text{"The program cmd/%s is compiled once.", "程序 cmd/%s 只需编译一次。"}
	soFar    = text{"  %d packages compiled", "  已编译 %d 个包"}
	notHere  = text{"grade: this edition of the kit has no command %s", "grade：这一版本的课程包没有命令 %s"}
	noKit    = text{"grade: %s does not lie in a checkout of Stubformer; change to the folder that you cloned and try again", "grade：%s 不在 Stubformer 的检出目录里；请进入克隆下来的文件夹再试"}
	notRun   = text{"grade: %s may not be run. Its folder is probably mounted noexec: say `go build -o DIR/ ./cmd/...` with a DIR that is not, and run DIR/grade", "grade：不允许运行 %s。它所在的文件夹可能以 noexec 挂载：请执行 `go build -o DIR/ ./cmd/...`，其中 DIR 是一个没有这样挂载的文件夹，然后运行 DIR/grade"}
	notBuilt = text{"grade: cmd/%s cannot be compiled:\n%s", "grade：cmd/%s 无法编译：\n%s"}
)

// speak returns the words in the language that --lang names, or else the locale.
func speak(args []string, getenv func(string) string) words {
	name := ""
	for _, variable := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if name = getenv(variable); name != "" {
			break
		}
	}
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--lang="); ok {
			name = value
		} else if arg == "--lang" && i+1 < len(args) {
			name = args[i+1]
		}
	}
	return func(t text) string {
		if strings.HasPrefix(name, "zh") {
			return t.zh
		}
		return t.en
	}
}

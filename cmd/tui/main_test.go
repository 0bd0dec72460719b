package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	for name, tt := range map[string]struct {
		args, locale string
		language     string // in which "quit" is said
		help         bool
		err          string
	}{
		"English if nothing is said":              {"", "", "quit", false, ""},
		"the locale":                              {"", "zh_CN.UTF-8", "退出", false, ""},
		"an option before the locale":             {"--lang en", "zh_CN.UTF-8", "quit", false, ""},
		"an option with an equals sign":           {"--lang=zh", "", "退出", false, ""},
		"help, in the language asked":             {"--help --lang zh", "", "退出", true, ""},
		"a language that is not there":            {"--lang fr", "", "quit", false, `there is no language "fr"; want en or zh`},
		"an option without its value":             {"--lang", "", "quit", false, "the dashboard takes no arguments but --lang; start it with: go run ./cmd/tui"},
		"an option that is not there":             {"--colour", "", "quit", false, "the dashboard takes no arguments but --lang; start it with: go run ./cmd/tui"},
		"an argument, told in the language asked": {"step01 --lang zh", "", "退出", false, "除 --lang 外，仪表盘不接受参数；启动：go run ./cmd/tui"},
		"an argument, told in the locale":         {"step01", "zh", "退出", false, "除 --lang 外，仪表盘不接受参数；启动：go run ./cmd/tui"},
	} {
		t.Run(name, func(t *testing.T) {
			p, help, err := read(strings.Fields(tt.args), func(variable string) string {
				return map[string]string{"LANG": tt.locale}[variable]
			})
			require.Equal(t, tt.language, p.Say("quit"))
			require.Equal(t, tt.help, help)
			if tt.err == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, tt.err, p.Error(err))
		})
	}
}

package lang_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
)

func chinese(t *testing.T) lang.Printer {
	p, err := lang.For("zh")
	require.NoError(t, err)
	return p
}

func TestLocale(t *testing.T) {
	tests := map[string]struct {
		env  map[string]string
		want string
	}{
		"nothing is set":               {nil, "en"},
		"LANG":                         {map[string]string{"LANG": "zh_CN.UTF-8"}, "zh"},
		"another language":             {map[string]string{"LANG": "de_DE.UTF-8"}, "en"},
		"messages before all else":     {map[string]string{"LANG": "en_GB.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"},
		"LC_ALL overrides":             {map[string]string{"LC_ALL": "C", "LC_MESSAGES": "zh_CN", "LANG": "zh_CN"}, "en"},
		"an empty variable is not set": {map[string]string{"LC_ALL": "", "LANG": "zh_TW"}, "zh"},
		"a language by its tag":        {map[string]string{"LC_ALL": "zh-Hans"}, "zh"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, lang.Locale(func(name string) string { return tt.env[name] }))
		})
	}
}

func TestUnknownLanguage(t *testing.T) {
	_, err := lang.For("fr")
	require.EqualError(t, err, `there is no language "fr"; want en or zh`)
}

func TestTexts(t *testing.T) {
	number := lang.T("row %d%s", 3, lang.T(" (the last)"))
	nested := lang.T("%d of %d values are wrong, %s", 5, 30, lang.T("only in %s", number))
	wrapped := lang.Errorf("the fixtures are damaged: %w", lang.Errorf("unknown flag: --%s", "x"))
	tests := map[string]struct {
		text             lang.Sayer
		english, chinese string
	}{
		"a word":                      {lang.T("passed"), "passed", "通过"},
		"texts in a text, reordered":  {nested, "5 of 30 values are wrong, only in row 3 (the last)", "30 个值中有 5 个不对，只在行 3（最后一个）"},
		"data of the course":          {lang.Of("The language model"), "The language model", "语言模型"},
		"what no language changes":    {lang.Raw("100 % x"), "100 % x", "100 % x"},
		"a text without arguments":    {lang.Of("100 % of it"), "100 % of it", "100 % of it"},
		"lines":                       {lang.Lines(lang.T("passed"), lang.Raw("x"), lang.T("exited")), "passed\nx\nexited", "通过\nx\n意外退出"},
		"no lines":                    {lang.Lines(), "", ""},
		"nothing":                     {lang.Text{}, "", ""},
		"an error in an error":        {wrapped.(lang.Sayer), "the fixtures are damaged: unknown flag: --x", "标准用例已损坏：未知选项：--x"},
		"an error of somebody else's": {lang.Errorf("the fixtures are damaged: %w", fs.ErrNotExist).(lang.Sayer), "the fixtures are damaged: file does not exist", "标准用例已损坏：file does not exist"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.english, tt.text.In(lang.Printer{}))
			require.Equal(t, tt.chinese, tt.text.In(chinese(t)))
			require.Equal(t, tt.english, fmt.Sprint(tt.text))
		})
	}
}

func TestErrors(t *testing.T) {
	err := lang.Errorf("cannot read %s: %w", "x", fs.ErrNotExist)
	require.EqualError(t, err, "cannot read x: file does not exist")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Equal(t, "plain", chinese(t).Error(errors.New("plain")))
	require.Equal(t, "未知选项：--x\nplain", chinese(t).Error(errors.Join(lang.Errorf("unknown flag: --%s", "x"), errors.New("plain"))))
	require.Equal(t, "a and b", chinese(t).Error(fmt.Errorf("%w and %w", errors.New("a"), errors.New("b"))))
}

// A text in JSON is English, and comes back as a text of one language.
func TestJSON(t *testing.T) {
	data, err := json.Marshal(lang.T("row %d%s", 3, ""))
	require.NoError(t, err)
	require.Equal(t, `"row 3"`, string(data))
	var text lang.Text
	require.NoError(t, json.Unmarshal([]byte(`"100 %"`), &text))
	require.Equal(t, "100 %", text.In(chinese(t)))
}

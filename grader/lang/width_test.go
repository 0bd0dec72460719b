package lang_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
)

func TestWrap(t *testing.T) {
	tests := map[string]struct {
		text  string
		width int
		lines []string
	}{
		"what fits keeps its spaces":        {"a  word", 7, []string{"a  word"}},
		"between words":                     {"a word", 5, []string{"a", "word"}},
		"as many words as fit":              {"a word or two", 6, []string{"a word", "or two"}},
		"a word that is too long":           {"a wordless end", 4, []string{"a", "wordless", "end"}},
		"between characters":                {"残差和归一化", 6, []string{"残差和", "归一化"}},
		"a full stop stays behind":          {"残差流。归一化", 6, []string{"残差", "流。归", "一化"}},
		"a bracket stays in front":          {"残差（residual）流", 12, []string{"残差", "（residual）", "流"}},
		"formulas are not cut":              {"先算x[i]·inv再乘增益", 12, []string{"先算x[i]·inv", "再乘增益"}},
		"spaces between the two are kept":   {"对 x 的梯度 dx 有两项", 11, []string{"对 x 的梯度", "dx 有两项"}},
		"a root counts as one column":       {"√mean(x²)+ε", 11, []string{"√mean(x²)+ε"}},
		"a comma of English prose, as ever": {"one, two", 5, []string{"one,", "two"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.lines, lang.Wrap(tt.text, tt.width))
		})
	}
}

func TestWidth(t *testing.T) {
	for text, columns := range map[string]int{"": 0, "abc": 3, "词元": 4, "（）": 4, "√ε≤·−…": 6, "e\u0301": 1} {
		require.Equal(t, columns, lang.Width(text), text)
	}
	require.Equal(t, "词元  ", lang.Pad("词元", 6))
	require.Equal(t, "too long", lang.Pad("too long", 3))
}

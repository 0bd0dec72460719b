package lang_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
)

func TestNearest(t *testing.T) {
	for name, c := range map[string]struct {
		name  string
		known []string
		want  string
	}{
		"a letter left out":      {"tran", []string{"train", "describe"}, "train"},
		"a letter too many":      {"matmuul", []string{"matmul", "memory"}, "matmul"},
		"a wrong letter":         {"tinny", []string{"tiny", "small"}, "tiny"},
		"two exchanged":          {"setp01", []string{"step01", "step02"}, "step01"},
		"the letters are others": {"pie", []string{"rope", "loss"}, ""},
		"two are as near":        {"step5x", []string{"step05", "step15"}, ""},
		"the same one twice":     {"rop", []string{"rope", "rope"}, "rope"},
		"nothing":                {"", []string{"a"}, ""},
		"one letter":             {"x", []string{"y"}, ""},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, lang.Nearest(c.name, c.known...)) })
	}
}

func TestDidYouMean(t *testing.T) {
	unknown := lang.Errorf("unknown flag: --%s", "sed")
	require.EqualError(t, lang.DidYouMean(unknown, "sed", "seed", "steps"), "unknown flag: --sed\nDid you mean seed?")
	require.Equal(t, unknown, lang.DidYouMean(unknown, "wholly-else", "seed"))
}

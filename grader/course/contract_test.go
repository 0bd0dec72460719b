package course

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/wire"
)

func TestParseContract(t *testing.T) {
	functions, err := parseContract("add: z = x + y\n  in  x: f32 (… D), the one (or the other)\n  in  <rest>: f64 ()\n  out z: f32 (… D)\n\nzero: 0\n  out y: i64 ()\n")
	require.NoError(t, err)
	require.Equal(t, []Function{
		{"add", "z = x + y", []Arg{{"x", wire.F32, "… D", "the one (or the other)"}, {"<rest>", wire.F64, "", ""}}, []Arg{{"z", wire.F32, "… D", ""}}},
		{"zero", "0", nil, []Arg{{"y", wire.I64, "", ""}}},
	}, functions)
	for name, text := range map[string]string{
		"an argument of no function": "  in  x: f32 ()\n",
		"a type that is none":        "f: x\n  in  x: f16 ()\n",
		"no shape":                   "f: x\n  in  x: f32\n",
		"no formula":                 "f:\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseContract(text)
			require.ErrorContains(t, err, "line ")
		})
	}
}

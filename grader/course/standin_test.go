package course

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStandIns(t *testing.T) {
	all := []*Step{
		{ID: "step08", Name: "attention"},
		{ID: "step13", Name: "gqa", Place: Place{In: "step08", Names: []string{"MultiHead", "NewMultiHead"}}},
		{ID: "step16", Name: "flash", Place: Place{In: "step08", Names: []string{"ScaledDotProduct"}}},
		{ID: "step21", Name: "window", Place: Place{In: "step08", Names: []string{"Mask", "ScaledDotProduct"}}},
		{ID: "step30", Name: "other", Place: Place{In: "step09", Names: []string{"ScaledDotProduct"}}},
	}
	for name, c := range map[string]struct {
		names []string
		want  []string
		err   string
	}{
		"none":                    {nil, nil, ""},
		"in the order of all":     {[]string{"flash", "gqa"}, []string{"gqa", "flash"}, ""},
		"twice":                   {[]string{"13", "gqa"}, []string{"gqa"}, ""},
		"no such step":            {[]string{"mqa"}, nil, `there is no step "mqa"`},
		"of the core":             {[]string{"attention"}, nil, "step08 (attention) is no part that a model can be built with; those are gqa, flash, window, other"},
		"the same place":          {[]string{"window", "flash"}, nil, "flash and window both stand in for ScaledDotProduct of step08"},
		"the same name elsewhere": {[]string{"other", "flash"}, []string{"flash", "other"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			guests, err := StandIns(all, c.names)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			var got []string
			for _, s := range guests {
				got = append(got, s.Name)
			}
			require.Equal(t, c.want, got)
		})
	}
}

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
		{ID: "step19", Name: "classic", Sets: map[string][]string{"2017": {"sinusoids", "post-norm", "dropout"}}, Seats: []Seat{
			{"sinusoids", []Place{{In: "step03", Names: []string{"New"}}, {In: "step06", Names: []string{"New"}}}},
			{"learned", []Place{{In: "step03", Names: []string{"New"}}, {In: "step06", Names: []string{"New"}}}},
			{"post-norm", []Place{{In: "step09", Names: []string{"New"}, By: map[string]string{"New": "Arranged(with_dropout)"}}}},
			{"dropout", []Place{{In: "step09", Names: []string{"New"}, By: map[string]string{"New": "Arranged(with_dropout)"}}}},
		}},
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
		"of the core":             {[]string{"attention"}, nil, "step08 (attention) is no part that a model can be built with; those are gqa, flash, window, sinusoids, learned, post-norm, dropout, other"},
		"the same place":          {[]string{"window", "flash"}, nil, "flash and window both stand in for ScaledDotProduct of step08"},
		"a part of a step":        {[]string{"post-norm", "gqa"}, []string{"gqa", "post-norm"}, ""},
		"parts that share":        {[]string{"dropout", "post-norm"}, []string{"post-norm", "dropout"}, ""},
		"parts that do not":       {[]string{"learned", "sinusoids"}, nil, "sinusoids and learned both stand in for New of step03"},
		"a set, and one of it":    {[]string{"2017", "dropout"}, []string{"sinusoids", "post-norm", "dropout"}, ""},
		"a set, and one too many": {[]string{"2017", "learned"}, nil, "sinusoids and learned both stand in for New of step03"},
		"a step of several parts": {[]string{"19"}, nil, "step19 (classic) has several parts that a model can be built with; name them: sinusoids, learned, post-norm, dropout, 2017"},
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

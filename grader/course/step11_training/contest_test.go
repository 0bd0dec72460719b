package training

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/verdict"
)

func TestContest(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name    string
		ratios  []float64 // of the subject, the last again and again
		control float64
		err     error
		asked   int
		want    string // "", slow, left out or broken
	}{
		{"fast", []float64{30}, 30, nil, 1, ""},
		{"fast where nothing else is", []float64{6}, 1, nil, 1, ""},
		{"fast at the third attempt", []float64{3, 5.9, 6}, 30, nil, 3, ""},
		{"fast at last on a busy machine", []float64{1, 1, 1, 1, 1, 1, 1, 6}, 11, nil, 8, ""},
		{"slow", []float64{1}, 30, nil, 3, "slow"},
		{"a hair too slow", []float64{5.99}, 12, nil, 3, "slow"},
		{"on a machine that cannot tell", []float64{1}, 11.9, nil, 8, "left out"},
		{"wrong", []float64{30}, 30, broken, 1, "broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			err := contest{atLeast: 6, control: func() float64 { return c.control }}.decide(func() (timing, error) {
				asked++
				return timing{own: 1, plain: c.ratios[min(asked, len(c.ratios))-1]}, c.err
			})
			require.Equal(t, c.asked, asked)
			var f *verdict.Failure
			var out *course.LeftOut
			switch c.want {
			case "":
				require.NoError(t, err)
			case "slow":
				require.ErrorAs(t, err, &f)
				require.Equal(t, verdict.TooSlow, f.Kind)
			case "left out":
				require.ErrorAs(t, err, &out)
			default:
				require.ErrorIs(t, err, broken)
			}
		})
	}
}

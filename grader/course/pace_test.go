package course_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

func TestLimit(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		ratios []float64 // of the task, the last again and again; −1: the clock tells nothing
		sure   bool
		err    error
		asked  int
		want   string // "", slow, left out or broken
	}{
		{"fast", []float64{1}, true, nil, 1, ""},
		{"fast where nothing is sure", []float64{6}, false, nil, 1, ""},
		{"so fast that it takes no time", []float64{0}, true, nil, 1, ""},
		{"fast at the third attempt", []float64{9, 6.1, 6}, true, nil, 3, ""},
		{"fast at last on a busy machine", []float64{9, 9, 9, 9, 9, 9, 9, 6}, false, nil, 8, ""},
		{"slow", []float64{9}, true, nil, 3, "slow"},
		{"far too slow", []float64{25}, true, nil, 1, "slow"},
		{"far too slow where nothing is sure", []float64{25}, false, nil, 8, "left out"},
		{"a hair too slow", []float64{6.01}, true, nil, 3, "slow"},
		{"on a machine that cannot tell", []float64{9}, false, nil, 8, "left out"},
		{"by a clock that does not tell", []float64{-1}, true, nil, 8, "left out"},
		{"slow, by a clock that tells now and then", []float64{-1, 9, -1, 9, 9}, true, nil, 5, "slow"},
		{"wrong", []float64{1}, true, broken, 1, "broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			limit := course.Limit{Ratio: 6, Sure: func() bool { return c.sure },
				Says: func(p course.Pace) lang.Text { return lang.T("%g times", p.Ratio()) }}
			err := limit.Decide(func() (course.Pace, error) {
				asked++
				ratio := c.ratios[min(asked, len(c.ratios))-1]
				if ratio < 0 {
					return course.Pace{Own: 1}, c.err
				}
				return course.Pace{Own: ratio, Other: 1}, c.err
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
				require.Contains(t, f.Message.String(), "times")
			case "left out":
				require.ErrorAs(t, err, &out)
			default:
				require.ErrorIs(t, err, broken)
			}
		})
	}
}

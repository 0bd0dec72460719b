package corpus

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRecalls(t *testing.T) {
	learnt := map[string]bool{}
	for _, pairs := range []int{1, 2, 7, RecallKeys} {
		for _, r := range Recalls(1, 2000, pairs, false) {
			learnt[fmt.Sprint(r.Tokens)] = true
			require.Len(t, r.Tokens, 3*pairs)
			require.Len(t, r.Answers, pairs)
			value := map[int]int{}
			for i := range pairs {
				value[r.Tokens[2*i]] = r.Tokens[2*i+1]
			}
			require.Len(t, value, pairs, "the keys differ")
			asked := map[int]bool{}
			for i, key := range r.Tokens[2*pairs:] {
				asked[key] = true
				require.Contains(t, value, key)
				require.Equal(t, value[key], r.Answers[i])
				require.Less(t, key, RecallKeys)
				require.GreaterOrEqual(t, r.Answers[i], RecallKeys)
				require.Less(t, r.Answers[i], RecallKeys+RecallValues)
			}
			require.Len(t, asked, pairs, "each key is asked once")
		}
		for _, r := range Recalls(1, 500, pairs, true) {
			require.False(t, learnt[fmt.Sprint(r.Tokens)], "%v", r.Tokens)
		}
	}
	require.Equal(t, Recalls(3, 10, 8, true), Recalls(3, 10, 8, true))
	require.NotEqual(t, Recalls(3, 10, 8, true), Recalls(4, 10, 8, true))
}

// The first text that is kept back, token by token: numbers that were measured on these stay
// what they were.
func TestRecallAsItComes(t *testing.T) {
	require.Equal(t, []Recall{{[]int{35, 93, 12, 64, 38, 93, 52, 106, 35, 38, 52, 12}, []int{93, 93, 106, 64}}},
		Recalls(1, 1, 4, true))
}

// BestRecall is what whoever has all texts before them reaches, if they answer to what they see
// of a text, and where it stands, with the value that is most often right.
func TestBestRecall(t *testing.T) {
	for _, c := range []struct{ pairs, keys, values int }{{1, 2, 3}, {2, 3, 2}, {2, 2, 3}, {3, 3, 2}, {3, 4, 2}, {3, 3, 3}} {
		all := everyRecall(c.pairs, c.keys, c.values)
		for reach := 1; reach <= 3*c.pairs+2; reach++ {
			right, asked := 0, 0
			for i := range c.pairs {
				at, answers := 2*c.pairs+i, map[string]map[int]int{} // how often, by what is seen
				for _, r := range all {
					seen := fmt.Sprint(r.Tokens[max(0, at-reach+1) : at+1])
					if answers[seen] == nil {
						answers[seen] = map[int]int{}
					}
					answers[seen][r.Answers[i]]++
				}
				for _, often := range answers {
					most := 0
					for _, n := range often {
						most, asked = max(most, n), asked+n
					}
					right += most
				}
			}
			require.InDelta(t, float64(right)/float64(asked), bestRecall(c.pairs, reach, c.values), 1e-12,
				"%d pairs of %d keys and %d values, %d tokens seen", c.pairs, c.keys, c.values, reach)
		}
	}
	require.Equal(t, 1.0, BestRecall(32, 96), "the whole text")
	require.InDelta(t, 1.0/RecallValues, BestRecall(32, 1), 1e-12, "the query alone")
}

// everyRecall returns every text there is, once.
func everyRecall(pairs, keys, values int) (all []Recall) {
	for _, told := range arrangements(keys, pairs) {
		for _, asked := range arrangements(pairs, pairs) {
			of := make([]int, pairs) // the value of each pair: a number with so many digits
			for done := false; !done; {
				var r Recall
				for i, key := range told {
					r.Tokens = append(r.Tokens, key, keys+of[i])
				}
				for _, i := range asked {
					r.Tokens, r.Answers = append(r.Tokens, told[i]), append(r.Answers, keys+of[i])
				}
				all = append(all, r)
				i := slices.IndexFunc(of, func(v int) bool { return v < values-1 })
				if done = i < 0; !done {
					clear(of[:i])
					of[i]++
				}
			}
		}
	}
	return all
}

// arrangements returns every way to take k of the numbers below n in an order.
func arrangements(n, k int) (all [][]int) {
	if k == 0 {
		return [][]int{{}}
	}
	for _, begun := range arrangements(n, k-1) {
		for next := range n {
			if !slices.Contains(begun, next) {
				all = append(all, append(slices.Clone(begun), next))
			}
		}
	}
	return all
}

package corpus

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
)

func TestEveryStoryInTwoLanguagesHasOneDerivation(t *testing.T) {
	story := bilingualStory()
	for seed := range uint64(60) {
		var out strings.Builder
		story.draw(rand.New(rand.NewPCG(seed, 1)), nil, &out)
		derivations := 0
		story.parse(out.String(), nil, func(rest string) {
			if rest == "" {
				derivations++
			}
		})
		require.Equal(t, 1, derivations, out.String())
	}
}

func TestVillagesEntropy(t *testing.T) {
	sweep.Only(t)
	nats, chars := 0.0, 0
	for seed := range uint64(3000) {
		var out strings.Builder
		bilingualStory().draw(rand.New(rand.NewPCG(seed, 1)), nil, &out)
		nats -= logProbability(t, bilingualStory(), out.String(), nil)
		chars += utf8.RuneCountInString(out.String())
	}
	require.InEpsilon(t, VillagesEntropy(), nats/float64(chars), 0.02)
}

// What is kept back and what is learnt from have no story in common, and no combination of
// person, place and thing: a model cannot know an answer by heart.
func TestHeldOutQuestions(t *testing.T) {
	seen := map[string]bool{}
	for _, q := range Questions(1, 20000, false, English, Chinese) {
		seen[combinationOf(t, q)] = true
	}
	require.Equal(t, 2*448, len(seen), "all others are learnt from")
	held := map[string]bool{}
	for _, q := range Questions(1, 2000, true, English, Chinese) {
		combination := combinationOf(t, q)
		require.False(t, seen[combination], q.Story)
		held[combination] = true
	}
	require.Equal(t, 2*64, len(held))
	require.Equal(t, Questions(1, 10, true, English), Questions(1, 10, true, English))
	require.NotEqual(t, Questions(1, 10, true, English), Questions(2, 10, true, English))
}

// combinationOf reads who, where and what from the text of a story.
func combinationOf(t *testing.T, q Question) string {
	a := askerOf(q.Language)
	find := func(of []map[string]string, key string) (found string) {
		for _, names := range of {
			if strings.Contains(q.Story, names[key]) && len(names[key]) > len(found) {
				found = names[key]
			}
		}
		require.NotEmpty(t, found, q.Story)
		return found
	}
	return find(a.people, "name") + "/" + find(a.places, "place") + "/" + find(a.things, "thing")
}

// The answer stands in the story, or it says that nobody came along.
func TestAnswersStandInTheStory(t *testing.T) {
	alphabet := NewTokenizer(Villages(1, 300_000))
	asked := map[string]int{}
	for _, q := range Questions(3, 4000, false, English, Chinese) {
		asked[q.Question]++
		switch q.Answer {
		case "nobody":
			require.Contains(t, q.Story, " alone.")
		case "没有人":
			require.Contains(t, q.Story, "独自")
		default:
			require.Contains(t, q.Story, q.Answer)
		}
		_, err := alphabet.Encode(q.Story + q.Question + q.Answer + "\n")
		require.NoError(t, err)
		require.LessOrEqual(t, utf8.RuneCountInString(q.Story+q.Question+q.Answer)+3, 256)
	}
	require.Equal(t, 2*(8+3*8), len(asked), "who went to each place, and three questions about each person")
}

// The questions that a held-out seed begins with, word for word: a table that was made with
// them stays what it was.
func TestQuestionsAsTheyCome(t *testing.T) {
	var told []string
	for _, q := range Questions(7, 4, true, English, Chinese) {
		told = append(told, q.Question+" "+q.Answer)
	}
	require.Equal(t, []string{"Where did Mira go? to the mill", "汤姆想要什么？ 一座说真话的钟",
		"Who went with Jon the smith? nobody", "谁和铁匠约恩一起去？ 没有人"}, told)
}

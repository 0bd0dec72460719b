package corpus

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestReversals(t *testing.T) {
	learnt, lengths := map[string]bool{}, map[int]int{}
	for _, p := range Reversals(1, 40_000, false) {
		target := []byte(p.Target)
		slices.Reverse(target)
		require.Equal(t, p.Source, string(target))
		learnt[p.Source] = true
		lengths[len(p.Source)]++
	}
	require.Len(t, lengths, LongestReversal)
	for n, times := range lengths {
		require.InDelta(t, 40_000/LongestReversal, times, 250, "%d letters", n)
	}
	for _, p := range Reversals(1, 4000, true) {
		require.False(t, learnt[p.Source], p.Source)
	}
	require.Equal(t, Reversals(3, 10, true), Reversals(3, 10, true))
	require.NotEqual(t, Reversals(3, 10, true), Reversals(4, 10, true))
}

// Both sides of a form have the same choices, and a sentence has one translation, whichever
// way it is come by. What is said exists in the stories of both languages.
func TestForms(t *testing.T) {
	translations := map[string]string{}
	for _, f := range forms() {
		require.Equal(t, options(f.english.node), options(f.chinese.node))
		for way := range f.count() {
			p := f.at(way)
			if before, ok := translations[p.Source]; ok {
				require.Equal(t, before, p.Target, p.Source)
			}
			translations[p.Source] = p.Target
			require.NotContains(t, p.Source+p.Target, "{")
		}
	}
	require.Equal(t, 7680+2*7*6+8*2*8+8*6*6+8*5*7+8*5+8*8+4*8*2, len(translations))
	back := map[string]int{}
	for _, target := range translations {
		back[target]++
	}
	require.Equal(t, len(translations), len(back), "nor do two sentences have one translation")
}

func TestTranslations(t *testing.T) {
	learnt, characters := map[string]bool{}, map[rune]bool{}
	openings := 0
	for _, p := range Translations(1, 10_000, false) {
		learnt[p.Source] = true
		for _, c := range p.Source + p.Target {
			characters[c] = true
		}
		if strings.Contains(p.Source, " went to the ") {
			openings++
		}
		require.LessOrEqual(t, utf8.RuneCountInString(p.Source), 130)
		require.LessOrEqual(t, utf8.RuneCountInString(p.Target), 40)
	}
	require.InDelta(t, 5000, openings, 200)
	for _, p := range Translations(1, 2000, true) {
		require.False(t, learnt[p.Source], p.Source)
		for _, c := range p.Source + p.Target {
			require.True(t, characters[c], "%q is learnt too", c)
		}
	}
}

// The sentences that a held-out seed begins with, word for word: numbers that were measured
// on them stay what they were.
func TestPairsAsTheyCome(t *testing.T) {
	require.Equal(t, []Pair{
		{"On a cold night Tom went to the river. He wanted a song.", "一个寒冷的夜里，汤姆去了河边。他想要一首歌。"},
		{"Little Wren thought of her grandmother and was sad.", "小雷恩想起了祖母，很难过。"},
	}, Translations(1, 2, true))
	require.Equal(t, []Pair{{"qhuuvcxsrrxrkhqpmz", "zmpqhkrxrrsxcvuuhq"}, {"gbcopat", "tapocbg"}}, Reversals(1, 2, true))
}

func TestTranslation(t *testing.T) {
	require.Equal(t, "一天早晨，安娜和弟弟一起去了磨坊。她想要一盏灯。",
		Translation("One morning Anna went to the mill with her brother. She wanted a lamp."))
	require.Equal(t, "最后他把灯送了人，心里很高兴。", Translation("In the end he gave the lamp away, and was glad."))
	require.Empty(t, Translation("One morning Anna went to the mill with his brother. She wanted a lamp."))
}

// The scores are those of sacrebleu; testdata/bleu.py says how they were made.
func TestBLEU(t *testing.T) {
	data, err := os.ReadFile("testdata/bleu.json")
	require.NoError(t, err)
	var cases []struct {
		Name       string     `json:"name"`
		Candidates []string   `json:"candidates"`
		References [][]string `json:"references"`
		BLEU       float64    `json:"bleu"`
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.Greater(t, len(cases), 8)
	for _, c := range cases {
		require.InDelta(t, c.BLEU, BLEU(c.Candidates, c.References), 1e-12, c.Name)
	}
	require.Zero(t, BLEU(nil, nil))
	require.Zero(t, BLEU([]string{""}, [][]string{{"灯"}}))
}

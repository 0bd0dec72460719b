package corpus

import "math"

// longestGram is the length of the longest runs of characters that BLEU counts.
const longestGram = 4

// BLEU measures how much of the candidates stands in their references, from 0 to 1:
//
//	BLEU = BP·exp(Σ_n ln(p_n)/4), n from 1 to 4
//	BP   = 1 if c > r, else e^(1 − r/c)
//
// p_n is the part of the candidates' runs of n tokens that stand in a reference, over all
// candidates together; a run counts no more often than in the reference of its candidate
// that has it most often. c is the length of all candidates, r that of their references, of
// several the one whose length is closest, and of two as close the shorter. A token is a
// character. BLEU is 0 where a p_n is 0, and where no candidate has n tokens.
//
// Source: Papineni, Roukos, Ward and Zhu, "BLEU: a Method for Automatic Evaluation of Machine
// Translation", 2002, section 2.
func BLEU(candidates []string, references [][]string) float64 {
	var found, all [longestGram]int
	c, r := 0, 0
	for i, candidate := range candidates {
		written := []rune(candidate)
		var right [][]rune
		for _, reference := range references[i] {
			right = append(right, []rune(reference))
		}
		c, r = c+len(written), r+closest(len(written), right)
		for n := range longestGram {
			f, a := clipped(written, right, n+1)
			found[n], all[n] = found[n]+f, all[n]+a
		}
	}
	sum := 0.0
	for n := range longestGram {
		if found[n] == 0 {
			return 0
		}
		sum += math.Log(float64(found[n])/float64(all[n])) / longestGram
	}
	return math.Exp(min(0, 1-float64(r)/float64(c)) + sum)
}

// closest returns the length of the reference that is closest to n, the shorter of two.
func closest(n int, references [][]rune) int {
	best := -1
	for _, reference := range references {
		have, had := max(len(reference)-n, n-len(reference)), max(best-n, n-best)
		if best < 0 || have < had || have == had && len(reference) < best {
			best = len(reference)
		}
	}
	return max(0, best)
}

// clipped returns how many runs of n characters stand in a reference, each counted at most as
// often as there, and how many there are.
func clipped(written []rune, references [][]rune, n int) (found, all int) {
	most := map[string]int{}
	for _, reference := range references {
		for gram, times := range grams(reference, n) {
			most[gram] = max(most[gram], times)
		}
	}
	for gram, times := range grams(written, n) {
		found, all = found+min(times, most[gram]), all+times
	}
	return found, all
}

// grams counts the runs of n characters.
func grams(of []rune, n int) map[string]int {
	times := map[string]int{}
	for i := range len(of) - n + 1 {
		times[string(of[i:i+n])]++
	}
	return times
}

package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// alone describes the wrong elements when s is the only restricted axis of an
// array of the given rank: "only in row 3". It returns "" if the indexes show
// no simple pattern.
func (s span) alone(rank int) string {
	if k, ok := s.missing(); ok && s.size > 2 {
		return "everywhere except " + s.at(rank, k)
	}
	if text := s.words(rank); text != "" {
		return "only " + preposition(rank) + text
	}
	if len(s.hit) > 4 || 2*len(s.hit) > s.size {
		return ""
	}
	return "only " + preposition(rank) + s.noun(rank, true) + s.equals(rank) + list(s.hit)
}

// both describes the wrong elements when two axes are restricted: "only in row
// 3, columns 4 to 7". It returns "" if one of them shows no simple pattern.
func both(s, t span, rank int) string {
	first, second := s.words(rank), t.words(rank)
	if first == "" || second == "" {
		return ""
	}
	joint := ", "
	if rank != 2 {
		joint = " and "
	}
	return "only " + preposition(rank) + first + joint + second
}

// words describes the indexes of s as one of the patterns that a mistake
// leaves: one index, all but one, every second, the first ones, the last ones.
func (s span) words(rank int) string {
	first, last := s.hit[0], s.hit[len(s.hit)-1]
	run := last-first+1 == len(s.hit)
	gap, but := s.missing()
	switch {
	case len(s.hit) == 1:
		return s.noun(rank, false) + s.equals(rank) + strconv.Itoa(first) + s.end(first)
	case but && gap > 0 && gap < s.size-1:
		return s.allBut(rank, gap)
	case s.size >= 4 && s.second(0):
		return s.parity(rank, "even")
	case s.size >= 4 && s.second(1):
		return s.parity(rank, "odd")
	case run && (first == 0 || last == s.size-1):
		text := s.noun(rank, true) + s.equals(rank) + fmt.Sprintf("%d to %d", first, last)
		return text + s.part(first)
	}
	return ""
}

// missing returns the only index that is not in s.
func (s span) missing() (int, bool) {
	if len(s.hit) != s.size-1 {
		return 0, false
	}
	for k, h := range s.hit {
		if h != k {
			return k, true
		}
	}
	return s.size - 1, true
}

// second tells whether s holds exactly every second index from start on.
func (s span) second(start int) bool {
	if len(s.hit) != (s.size-start+1)/2 {
		return false
	}
	return !slices.ContainsFunc(s.hit, func(k int) bool { return k%2 != start })
}

// noun names the axis: "row", "columns", "axis 1".
func (s span) noun(rank int, plural bool) string {
	word := "axis " + strconv.Itoa(s.axis)
	switch {
	case rank > 2:
		return word
	case rank == 1:
		word = "position"
	case s.axis == 0:
		word = "row"
	default:
		word = "column"
	}
	if plural {
		word += "s"
	}
	return word
}

func (s span) equals(rank int) string {
	if rank > 2 {
		return " = "
	}
	return " "
}

func (s span) parity(rank int, which string) string {
	if rank > 2 {
		return s.noun(rank, true) + " is " + which
	}
	return which + " " + s.noun(rank, true)
}

func (s span) allBut(rank, gap int) string {
	if rank > 2 {
		return fmt.Sprintf("%s ≠ %d", s.noun(rank, false), gap)
	}
	return fmt.Sprintf("every %s but %d", s.noun(rank, false), gap)
}

func preposition(rank int) string {
	switch rank {
	case 1:
		return "at "
	case 2:
		return "in "
	}
	return "where "
}

// at names one index of the axis with its preposition: "in row 0 (the first)".
func (s span) at(rank, k int) string {
	return preposition(rank) + s.noun(rank, false) + s.equals(rank) + strconv.Itoa(k) + s.end(k)
}

// end remarks that index k is the first or the last of its axis.
func (s span) end(k int) string {
	switch {
	case k == 0:
		return " (the first)"
	case k == s.size-1:
		if t := tiles(k, s.size); t != "" {
			return " (the last; " + t + ")"
		}
		return " (the last)"
	}
	return ""
}

// part remarks which part of the axis a run of indexes from first on is.
func (s span) part(first int) string {
	t := tiles(first, s.size)
	switch {
	case 2*len(s.hit) == s.size && first == 0:
		return " (the first half)"
	case 2*len(s.hit) == s.size:
		return " (the second half)"
	case first > 0 && t != "":
		return " (" + t + ")"
	}
	return ""
}

// tiles says what the indexes from first on are when a loop takes whole tiles
// only: "left over after tiles of 8 or 16". It returns "" for the first few
// indexes, where every size would fit.
func tiles(first, size int) string {
	if first < 8 {
		return ""
	}
	var fit []int
	for _, t := range []int{4, 6, 8, 14, 16, 32, 64, 128} {
		if size/t*t == first {
			fit = append(fit, t)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return "left over after tiles of " + strings.ReplaceAll(list(fit), " and ", " or ")
}

// list writes 1, 4 and 6.
func list(numbers []int) string {
	text := ""
	for i, n := range numbers {
		switch {
		case i > 0 && i == len(numbers)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += strconv.Itoa(n)
	}
	return text
}

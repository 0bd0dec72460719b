package verdict

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// alone describes the wrong elements when s is the only restricted axis of an
// array of the given rank: "only in row 3". It returns nothing if the indexes
// show no simple pattern.
func (s span) alone(rank int) lang.Text {
	if k, ok := s.missing(); ok && s.size > 2 {
		return except(rank, s.one(rank, k))
	}
	if text := s.words(rank); !text.Empty() {
		return confined(rank, text)
	}
	if len(s.hit) > 4 || 2*len(s.hit) > s.size {
		return lang.Text{}
	}
	return confined(rank, s.several(rank, list(s.hit), lang.Text{}))
}

// both describes the wrong elements when two axes are restricted: "only in row
// 3, columns 4 to 7". It returns nothing if one of them shows no simple pattern.
func both(s, t span, rank int) lang.Text {
	first, second := s.words(rank), t.words(rank)
	switch {
	case first.Empty() || second.Empty():
		return lang.Text{}
	case rank == 2:
		return confined(rank, lang.T("%s, %s", first, second))
	}
	return confined(rank, lang.T("%s and %s", first, second))
}

// confined says that something is wrong at these indexes only.
func confined(rank int, indexes lang.Text) lang.Text {
	switch rank {
	case 1:
		return lang.T("only at %s", indexes)
	case 2:
		return lang.T("only in %s", indexes)
	}
	return lang.T("only where %s", indexes)
}

// except says that something is wrong everywhere but at this index.
func except(rank int, index lang.Text) lang.Text {
	switch rank {
	case 1:
		return lang.T("everywhere except at %s", index)
	case 2:
		return lang.T("everywhere except in %s", index)
	}
	return lang.T("everywhere except where %s", index)
}

// words describes the indexes of s as one of the patterns that a mistake
// leaves: one index, all but one, every second, the first ones, the last ones.
func (s span) words(rank int) lang.Text {
	first, last := s.hit[0], s.hit[len(s.hit)-1]
	run := last-first+1 == len(s.hit)
	gap, but := s.missing()
	switch {
	case len(s.hit) == 1:
		return s.one(rank, first)
	case but && gap > 0 && gap < s.size-1:
		return s.allBut(rank, gap)
	case s.size >= 4 && s.second(0):
		return s.even(rank)
	case s.size >= 4 && s.second(1):
		return s.odd(rank)
	case run && (first == 0 || last == s.size-1):
		return s.several(rank, lang.T("%d to %d", first, last), s.part(first))
	}
	return lang.Text{}
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

// second reports whether s holds exactly every second index from start on.
func (s span) second(start int) bool {
	if len(s.hit) != (s.size-start+1)/2 {
		return false
	}
	return !slices.ContainsFunc(s.hit, func(k int) bool { return k%2 != start })
}

// one names one index of the axis: "row 0 (the first)", "axis 1 = 0 (the first)".
func (s span) one(rank, k int) lang.Text {
	switch {
	case rank > 2:
		return lang.T("axis %d = %d%s", s.axis, k, s.end(k))
	case rank == 1:
		return lang.T("position %d%s", k, s.end(k))
	case s.axis == 0:
		return lang.T("row %d%s", k, s.end(k))
	}
	return lang.T("column %d%s", k, s.end(k))
}

// several names some indexes of the axis: "rows 1 and 4", "axis 1 = 1 to 4".
func (s span) several(rank int, indexes, remark lang.Text) lang.Text {
	switch {
	case rank > 2:
		return lang.T("axis %d = %s%s", s.axis, indexes, remark)
	case rank == 1:
		return lang.T("positions %s%s", indexes, remark)
	case s.axis == 0:
		return lang.T("rows %s%s", indexes, remark)
	}
	return lang.T("columns %s%s", indexes, remark)
}

func (s span) even(rank int) lang.Text {
	switch {
	case rank > 2:
		return lang.T("axis %d is even", s.axis)
	case rank == 1:
		return lang.T("even positions")
	case s.axis == 0:
		return lang.T("even rows")
	}
	return lang.T("even columns")
}

func (s span) odd(rank int) lang.Text {
	switch {
	case rank > 2:
		return lang.T("axis %d is odd", s.axis)
	case rank == 1:
		return lang.T("odd positions")
	case s.axis == 0:
		return lang.T("odd rows")
	}
	return lang.T("odd columns")
}

func (s span) allBut(rank, gap int) lang.Text {
	switch {
	case rank > 2:
		return lang.T("axis %d ≠ %d", s.axis, gap)
	case rank == 1:
		return lang.T("every position but %d", gap)
	case s.axis == 0:
		return lang.T("every row but %d", gap)
	}
	return lang.T("every column but %d", gap)
}

// end remarks that index k is the first or the last of its axis.
func (s span) end(k int) lang.Text {
	switch {
	case k == 0:
		return lang.T(" (the first)")
	case k == s.size-1:
		if t := tiles(k, s.size); !t.Empty() {
			return lang.T(" (the last; %s)", t)
		}
		return lang.T(" (the last)")
	}
	return lang.Text{}
}

// part remarks which part of the axis a run of indexes from first on is.
func (s span) part(first int) lang.Text {
	t := tiles(first, s.size)
	switch {
	case 2*len(s.hit) == s.size && first == 0:
		return lang.T(" (the first half)")
	case 2*len(s.hit) == s.size:
		return lang.T(" (the second half)")
	case first > 0 && !t.Empty():
		return lang.T(" (%s)", t)
	}
	return lang.Text{}
}

// tiles says what the indexes from first on are when a loop takes whole tiles
// only: "left over after tiles of 8 or 16". It says nothing for the first few
// indexes, where every size would fit.
func tiles(first, size int) lang.Text {
	if first < 8 {
		return lang.Text{}
	}
	var fit []int
	for _, t := range []int{4, 6, 8, 14, 16, 32, 64, 128} {
		if size/t*t == first {
			fit = append(fit, t)
		}
	}
	last := len(fit) - 1
	switch {
	case last < 0:
		return lang.Text{}
	case last == 0:
		return lang.T("left over after tiles of %d", fit[0])
	}
	return lang.T("left over after tiles of %s or %d", commas(fit[:last]), fit[last])
}

// list writes 1, 4 and 6.
func list(numbers []int) lang.Text {
	last := len(numbers) - 1
	if last == 0 {
		return lang.Raw(strconv.Itoa(numbers[0]))
	}
	return lang.T("%s and %d", commas(numbers[:last]), numbers[last])
}

// commas writes 1, 4, 6.
func commas(numbers []int) string {
	parts := make([]string, len(numbers))
	for i, n := range numbers {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ", ")
}

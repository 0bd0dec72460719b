package text

import "strings"

// Row is one row of two texts side by side: "" where a text has no line of its
// own there. Same reports whether both have the same.
type Row struct {
	Left, Right string
	Same        bool
}

// Align puts two texts side by side so that as many equal lines as possible
// stand in the same row: their longest common subsequence.
func Align(left, right string) []Row {
	a, b := split(left), split(right)
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var rows []Row
	var onlyA, onlyB []string
	flush := func() {
		for k := range max(len(onlyA), len(onlyB)) {
			rows = append(rows, Row{Left: at(onlyA, k), Right: at(onlyB, k)})
		}
		onlyA, onlyB = nil, nil
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			flush()
			rows = append(rows, Row{a[i], b[j], true})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			onlyA = append(onlyA, a[i])
			i++
		default:
			onlyB = append(onlyB, b[j])
			j++
		}
	}
	flush()
	return rows
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// split returns the lines of a text with tabs of four spaces.
func split(s string) []string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\t", "    ")
	return strings.Split(strings.TrimRight(s, "\n"), "\n")
}

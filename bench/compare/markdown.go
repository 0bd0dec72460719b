package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/studio/bench"
)

// markdown writes a section's tables: the rate of every peer, and behind those
// of the others how many times as fast the first one is.
func (r Result) markdown(b *strings.Builder, s section) {
	fmt.Fprintf(b, "## %s\n\n%s.\n\n", s.title, r.Machine)
	if r.Quick {
		b.WriteString("A quick run: few rounds.\n\n")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Peers)) {
		fmt.Fprintf(b, "- %s: %s", name, r.Peers[name])
		if env := r.Environment[name]; len(env) > 0 {
			fmt.Fprintf(b, " (`%s`)", strings.Join(env, " "))
		}
		fmt.Fprintln(b)
	}
	for _, m := range r.Missing {
		fmt.Fprintf(b, "- missing: %s\n", m)
	}
	for _, t := range r.Tables {
		fmt.Fprintf(b, "\n### %s\n\nIn %s, medians of %s. In brackets: how many times the rate of %s is the other's, median of the rounds' ratios.\n\n",
			t.Title, t.Unit, count(t.Rounds), t.Peers[0])
		fmt.Fprintf(b, "| | %s |\n|---|%s\n", strings.Join(t.Peers, " | "), strings.Repeat("---:|", len(t.Peers)))
		for _, row := range t.Rows {
			fmt.Fprintf(b, "| %s |", row.Name)
			for _, p := range t.Peers {
				fmt.Fprintf(b, " %s |", cell(row, p))
			}
			b.WriteString("\n")
		}
		means(b, t)
		for _, m := range t.Missing {
			fmt.Fprintf(b, "\n%s\n", m)
		}
	}
	if r.Prints != "" {
		fmt.Fprintf(b, "\n%s", r.Prints)
	}
	b.WriteString("\n")
}

// count says how many rounds each row had at least.
func count(rounds int) string {
	if rounds == 1 {
		return "one round or more"
	}
	return fmt.Sprintf("%d rounds or more", rounds)
}

func cell(row bench.Row, peer string) string {
	rate, ok := row.Rates[peer]
	if !ok {
		return ""
	}
	text := fmt.Sprintf("%.3g", rate)
	if rate >= 1000 {
		text = fmt.Sprintf("%.0f", rate)
	}
	if ratio, ok := row.Ratios[peer]; ok {
		text += fmt.Sprintf(" (%.2f)", ratio)
	}
	return text
}

// means adds the geometric mean of the ratios, where there is more than one row.
func means(b *strings.Builder, t bench.Table) {
	if len(t.Rows) < 3 {
		return
	}
	b.WriteString("| geometric mean | |")
	for _, p := range t.Peers[1:] {
		var ratios []float64
		for _, row := range t.Rows {
			if ratio, ok := row.Ratios[p]; ok {
				ratios = append(ratios, ratio)
			}
		}
		if len(ratios) == 0 {
			b.WriteString(" |")
			continue
		}
		fmt.Fprintf(b, " (%.2f) |", bench.GeometricMean(ratios))
	}
	b.WriteString("\n")
}

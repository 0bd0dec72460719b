package bench

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Question is one row of a table: what is asked of the peers.
type Question struct {
	Name string                   `json:"name"`
	Work float64                  `json:"-"` // operations or tokens in what takes the answer's seconds: the rate is Work/seconds
	Ask  func(peer string) string `json:"-"` // "" if the peer is not asked
}

// Row is the result of a Question.
type Row struct {
	Name   string             `json:"name"`
	Rates  map[string]float64 `json:"rates"`  // of each peer, median of the rounds
	Ratios map[string]float64 `json:"ratios"` // the first peer's rate against each other's, median of the ratios of the rounds
}

// Table is the result of a comparison.
type Table struct {
	Title   string   `json:"title"`
	Unit    string   `json:"unit"` // of the rates: higher is better
	Peers   []string `json:"peers"`
	Rounds  int      `json:"rounds"`
	Rows    []Row    `json:"rows"`
	Missing []string `json:"missing,omitempty"` // what is not there to be compared with, and why
}

// Compare asks every question of every peer in turn, so many rounds, each round
// beginning with the next peer. The first peer is the one that the others are
// compared with.
func Compare(title, unit string, peers []*Peer, questions []Question, rounds int, progress func(string)) (Table, error) {
	t := Table{Title: title, Unit: unit, Rounds: rounds}
	for _, p := range peers {
		t.Peers = append(t.Peers, p.Name)
	}
	for _, q := range questions {
		progress(title + ": " + q.Name)
		row, missing, err := ask(peers, q, rounds)
		if err != nil {
			return t, err
		}
		t.Rows = append(t.Rows, row)
		for _, m := range missing {
			if !slices.Contains(t.Missing, m) {
				t.Missing = append(t.Missing, m)
			}
		}
	}
	return t, nil
}

func ask(peers []*Peer, q Question, rounds int) (row Row, missing []string, err error) {
	rates, silent := map[string][]float64{}, map[string]bool{}
	for r := range rounds {
		for i := range peers {
			p := peers[(r+i)%len(peers)]
			question := q.Ask(p.Name)
			if question == "" || silent[p.Name] {
				continue
			}
			seconds, err := p.Ask(question)
			var none *NoAnswerError
			if errors.As(err, &none) {
				silent[p.Name], missing = true, append(missing, none.Error())
				continue
			}
			if err != nil {
				return row, nil, fmt.Errorf("%s: %w", q.Name, err)
			}
			rates[p.Name] = append(rates[p.Name], q.Work/seconds)
		}
	}
	row = Row{Name: q.Name, Rates: map[string]float64{}, Ratios: map[string]float64{}}
	first := rates[peers[0].Name]
	for name, of := range rates {
		row.Rates[name] = Median(of)
		if name == peers[0].Name || len(of) != len(first) {
			continue
		}
		ratios := make([]float64, len(of))
		for r := range of {
			ratios[r] = first[r] / of[r]
		}
		row.Ratios[name] = Median(ratios)
	}
	return row, missing, nil
}

// Median returns the middle of some numbers, or the mean of the middle two.
// It is NaN for none.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return (s[len(s)/2] + s[(len(s)-1)/2]) / 2
}

// GeometricMean returns the n-th root of the product of n numbers, the mean for
// ratios. It is NaN for none.
func GeometricMean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(x)))
}

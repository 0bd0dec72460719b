package main

import "github.com/stubformer/stubformer/grader/studio/bench"

// conversion says a table again in another unit: tokens a second, for instance, as the
// operations a second that these tokens take.
type conversion struct {
	title, unit string
	ask         string           // the first peer's answer is how much one of the table's unit is
	factors     []float64        // of each row, beside the answer
	beside      []bench.Question // in the other unit, what the rates are held against
}

// of returns the table in the other unit. The ratios are those of the table.
func (c conversion) of(t bench.Table, peers []*bench.Peer) (bench.Table, error) {
	beside, err := table{title: c.title, unit: c.unit, rounds: t.Rounds, questions: c.beside}.compare(peers)
	if err != nil {
		return beside, err
	}
	one, err := peers[0].Ask(c.ask)
	if err != nil {
		return beside, err
	}
	var rows []bench.Row
	for i, row := range t.Rows {
		rates := map[string]float64{}
		for peer, rate := range row.Rates {
			rates[peer] = rate * one * c.factors[i]
		}
		rows = append(rows, bench.Row{Name: row.Name, Rates: rates, Ratios: row.Ratios})
	}
	beside.Peers, beside.Rounds, beside.Rows = t.Peers, t.Rounds, append(rows, beside.Rows...)
	return beside, nil
}

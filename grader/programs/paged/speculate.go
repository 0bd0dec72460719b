package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"time"

	writer "github.com/stubformer/stubformer/grader/programs/generate"
	"github.com/stubformer/stubformer/grader/programs/talk"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/cputime"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	paged "github.com/stubformer/stubformer/steps/step22_paged"
)

// pair is a large model, and a draft that writes ahead for it.
type pair struct {
	large, draft *paged.Reader
	clock        func() time.Duration
}

// speculate writes a text, once for each length of the draft in every round, until ctx is
// done. One that nobody sees comes first: memory is allocated and warm then.
func speculate(ctx context.Context, l talk.Line, large, draft *lm.LM, options []byte) error {
	var s run.Speculation
	if err := json.Unmarshal(options, &s); err != nil {
		return err
	}
	models := pair{reader(large), reader(draft), cputime.Wall}
	if s.OneCore {
		runtime.GOMAXPROCS(1)
		models.clock = cputime.Process
	}
	first := s.Generation
	first.Tokens = min(first.Tokens, 4)
	for _, ahead := range s.Ahead {
		if _, err := models.write(first, ahead); err != nil {
			return err
		}
	}
	for range s.Rounds {
		for _, ahead := range s.Ahead {
			if ctx.Err() != nil {
				return nil
			}
			d, err := models.write(s.Generation, ahead)
			if err != nil {
				return err
			}
			l.Send(run.Event{Drafted: &d})
		}
		s.Seed++
	}
	return nil
}

// write writes one text with a draft of so many tokens, or without one.
func (m pair) write(g run.Generation, ahead int) (run.Drafted, error) {
	s := lm.Sampling{MaxNew: g.Tokens, Temperature: g.Temperature, TopP: g.TopP, Stop: g.Stop}
	rng, begin := rand.New(rand.NewPCG(g.Seed, 0)), m.clock()
	d := run.Drafted{Ahead: ahead}
	var stats paged.Stats
	var err error
	switch ahead {
	case run.LargeAlone:
		d.Tokens, err = alone(m.large, g.Prompt, s, rng)
	case run.DraftAlone:
		d.Tokens, err = alone(m.draft, g.Prompt, s, rng)
	default:
		d.Tokens, stats, err = paged.Speculate(m.large, m.draft, g.Prompt, ahead, s, rng)
		d.Rounds, d.Drafted, d.Accepted = stats.Rounds, stats.Drafted, stats.Accepted
	}
	d.Seconds = (m.clock() - begin).Seconds()
	return d, err
}

// alone continues the prompt with one model, which reads one token in a call.
func alone(r *paged.Reader, prompt []int, s lm.Sampling, rng *rand.Rand) (ids []int, err error) {
	text := r.Pool().NewText()
	defer text.Truncate(0)
	for next := prompt; len(ids) < s.MaxNew; next = ids[len(ids)-1:] {
		logits, err := r.Forward([]*paged.Text{text}, [][]int{next})
		if err != nil {
			return nil, err
		}
		token, err := writer.Draw(logits.Row(logits.Dim(0)-1), s, rng)
		if err != nil {
			return nil, err
		}
		if token == s.Stop {
			break
		}
		ids = append(ids, token)
	}
	return ids, nil
}

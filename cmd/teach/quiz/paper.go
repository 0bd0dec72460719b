package quiz

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// Options say what a paper holds.
type Options struct {
	Seed      uint64
	Questions int  // how many; 0 for all
	Oral      bool // the cards for an oral examination in place of the written questions
}

// Paper is a sheet of questions with drawn numbers. The same questions and options
// make the same paper.
type Paper struct {
	Options
	Name  string     // of whose code it asks about, or "" for one that all get
	Items []Question // without placeholders
}

// Make chooses questions, as many of each step as can be and of kinds that are mixed,
// and draws their numbers.
func Make(questions []Question, o Options) (*Paper, error) {
	questions = slices.DeleteFunc(slices.Clone(questions), func(q Question) bool { return (q.Kind == Oral) != o.Oral })
	if o.Questions > len(questions) {
		return nil, lang.Errorf("--questions is %d, and these steps have %d of that kind", o.Questions, len(questions))
	}
	p := &Paper{Options: o}
	for _, q := range chosen(questions, o) {
		item, err := q.drawn(o.Seed)
		if err != nil {
			return nil, fmt.Errorf("%s: question %d: %w", q.place, q.Number, err)
		}
		p.Items = append(p.Items, item)
	}
	return p, nil
}

// Points are those of all questions.
func (p *Paper) Points() (sum int) {
	for _, q := range p.Items {
		sum += q.Points
	}
	return sum
}

// stream returns a generator for each seed and name.
func stream(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// chosen returns as many questions as are wanted: always one of a step with the fewest
// so far, and of these one of a kind with the fewest so far. They come in the order of
// the banks.
func chosen(questions []Question, o Options) []Question {
	if o.Questions == 0 {
		return questions
	}
	left := slices.Clone(questions)
	stream(o.Seed, "choice").Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	of, like := map[string]int{}, map[Kind]int{}
	var taken []Question
	for len(taken) < o.Questions {
		next := slices.MinFunc(left, func(a, b Question) int { // the first of equals
			return cmp.Or(cmp.Compare(of[a.Step], of[b.Step]), cmp.Compare(like[a.Kind], like[b.Kind]))
		})
		taken = append(taken, next)
		left = slices.DeleteFunc(left, func(q Question) bool { return q.place == next.place })
		of[next.Step]++
		like[next.Kind]++
	}
	slices.SortFunc(taken, func(a, b Question) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Number, b.Number))
	})
	return taken
}

// drawn returns the question with numbers in the places of its placeholders. They
// depend on the seed and on the question, and on no other question.
func (q Question) drawn(seed uint64) (Question, error) {
	values := map[string]string{}
	if q.Numbers != "" {
		d, err := drawn(q.Numbers, stream(seed, q.Numbers))
		if err != nil {
			return Question{}, err
		}
		values = d.values
	}
	q.Rubric = slices.Clone(q.Rubric)
	texts := []*string{&q.Text, &q.Answer}
	for i := range q.Rubric {
		texts = append(texts, &q.Rubric[i].Text)
	}
	for _, text := range texts {
		filled, err := fill(*text, values)
		if err != nil {
			return Question{}, err
		}
		*text = filled
	}
	return q, nil
}

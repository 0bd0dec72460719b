package corpus

import (
	"maps"
	"math/rand/v2"
	"strings"
)

// Languages that questions are asked in.
const (
	English = "en"
	Chinese = "zh"
)

// Question is what a story of the village begins with, a question about it, and the one
// answer that is right.
type Question struct {
	Language string // English or Chinese
	Story    string
	Question string
	Answer   string
}

// HeldOut is the part of a task that is kept back: of questions, those about a story with one
// of the 64 combinations of person, place and thing that no story to learn from has, of 512;
// of pairs, one in eight sources.
type HeldOut bool

// Questions returns n questions, alternately in each of the languages. Who, where and what
// a story is about is drawn evenly, and so is what is asked. The same seed gives the same
// questions; those to learn from and those that are kept back have no story in common.
func Questions(seed uint64, n int, heldOut HeldOut, languages ...string) []Question {
	rng := rand.New(rand.NewPCG(seed, 0x71756573)) // "ques"
	asked := make([]Question, n)
	for i := range asked {
		asked[i] = draw(rng, languages[i%len(languages)], heldOut)
	}
	return asked
}

// asker is what a language has for questions about its stories.
type asker struct {
	language               string
	people, places, things []map[string]string
	begins, closing        node   // a story: begins, then one of company, then closing
	company                choice // not said, with somebody, alone
	who, where, what, with pair
	nobody                 text // answers with, of who went alone
}

// pair is a question and its answer.
type pair struct{ question, answer text }

func askerOf(language string) asker {
	if language == Chinese {
		opening := chineseOpening().(sequence)
		return asker{language, chinesePeople(), chinesePlaces(), chineseThings(),
			opening[:2], opening[3], chineseCompany(),
			pair{"谁去了{place}？", "{name}"}, pair{"{name}去了哪里？", "{place}"}, pair{"{name}想要什么？", "{one}"},
			pair{"谁和{name}一起去？", "{kin}"}, "没有人"}
	}
	opening := opening().(sequence)
	return asker{language, people(), places(), things(),
		opening[:2], opening[3], company(),
		pair{"Who went to the {place}?", "{name}"}, pair{"Where did {name} go?", "to the {place}"},
		pair{"What did {name} want?", "a {thing}"}, pair{"Who went with {name}?", "{his} {kin}"}, "nobody"}
}

// draw draws a story and one of the questions to which it has the answer.
func draw(rng *rand.Rand, language string, heldOut HeldOut) Question {
	a := askerOf(language)
	person, place, thing := combination(rng, heldOut)
	s := scope{}
	for _, names := range []map[string]string{a.people[person], a.places[place], a.things[thing]} {
		maps.Copy(s, names)
	}
	company := rng.IntN(len(a.company))
	var story strings.Builder
	for _, part := range []node{a.begins, a.company[company], a.closing} {
		part.draw(rng, s, &story)
	}
	asked := []pair{a.who, a.where, a.what}
	switch company {
	case 1:
		asked = append(asked, a.with)
	case 2:
		asked = append(asked, pair{a.with.question, a.nobody})
	}
	p := asked[rng.IntN(len(asked))]
	return Question{language, story.String(), p.question.fill(s), p.answer.fill(s)}
}

// combination draws who, where and what. Those whose sum is a multiple of eight are kept
// back: each person, place and thing is in some of them, and in seven times as many others.
func combination(rng *rand.Rand, heldOut HeldOut) (person, place, thing int) {
	for {
		person, place, thing = rng.IntN(8), rng.IntN(8), rng.IntN(8)
		if ((person+place+thing)%8 == 0) == bool(heldOut) {
			return person, place, thing
		}
	}
}

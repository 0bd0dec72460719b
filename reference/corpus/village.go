package corpus

import (
	"math/rand/v2"
	"strings"
)

// Village returns at least chars characters of short stories about a village,
// drawn from a probabilistic grammar and separated by blank lines. The same
// seed gives the same text.
func Village(seed uint64, chars int) string {
	rng := rand.New(rand.NewPCG(seed, 0x76696c6c616765)) // "village"
	story := villageStory()
	var out strings.Builder
	for out.Len() < chars {
		story.draw(rng, nil, &out)
	}
	return out.String()
}

// VillageEntropy returns the exact entropy of the village text in nats per
// character. No model can have a smaller expected loss on it, however large it
// is and however long it trains.
//
// Stories are drawn independently and each has one derivation only, so the
// entropy of a story is that of its choices, and by the renewal-reward theorem
// the entropy rate of the text is E[nats of a story] / E[characters of a story]
// (Cover and Thomas, Elements of Information Theory, 2nd ed., chapter 4, for
// entropy rates).
func VillageEntropy() float64 {
	w := villageStory().measure(nil)
	return w.nats / w.chars
}

// villageStory is the grammar of one story.
func villageStory() node { return englishStory(events()) }

// englishStory is a story with the given sentences in its middle.
func englishStory(events choice) node {
	return settle{people(), settle{places(), settle{things(), sequence{
		opening(),
		repeat{0.7, sequence{text(" "), events}},
		text(" "), ending(), text("\n\n"),
	}}}}
}

// opening says who goes where, with whom, and why.
func opening() node {
	return sequence{
		choice{text("One morning"), text("Long ago"), text("Late in the autumn"), text("On a cold night"), text("Before the harvest")},
		text(" {name} went to the {place}"),
		company(),
		text(" {He} wanted a {thing}."),
	}
}

func company() choice { return choice{text("."), text(" with {his} {kin}."), text(" alone.")} }

// events are sentences in the middle of a story. The first letters tell the forms
// apart, so that a text can be read in one way only.
func events() choice {
	return choice{
		sequence{text("{He} asked "), stranger(), text(" for help, but "), excuse(), text(".")},
		sequence{text("At the {place} {he} found "), find(), text(".")},
		sequence{text("Then "), weather(), text(", and {name} "), reaction(), text(".")},
		sequence{text("\"A {thing} is "), worthOf(), text(",\" said "), stranger(), text(".")},
		sequence{text("{name} thought of {his} {kin} and "), feeling(), text(".")},
	}
}

func stranger() node {
	return choice{text("the miller"), text("an old soldier"), text("the baker's wife"), text("a tall stranger"),
		text("the ferryman"), text("two sisters"), text("the blind fiddler")}
}

func excuse() node {
	return choice{text("nobody answered"), text("the day was short"), text("there was bread to bake"), text("the road was long"),
		text("it was market day"), text("the answer was no")}
}

func find() node {
	return choice{text("nothing"), text("a key"), text("three feathers"), text("an empty sack"), text("footprints"),
		text("a sleeping dog"), text("a letter without a name"), text("some warm ashes")}
}

func weather() node {
	return choice{text("it began to rain"), text("the wind turned"), text("snow fell"), text("the moon came up"),
		text("a storm broke"), text("the fog came down")}
}

func reaction() node {
	return choice{text("walked on"), text("waited under a tree"), text("sang to keep warm"), text("lost the way"),
		text("laughed aloud"), text("counted the stars")}
}

func worthOf() node {
	return choice{text("not bought with silver"), text("worth a long walk"), text("never where you look"),
		text("only as good as its owner"), text("easy to lose")}
}

func feeling() node {
	return choice{text("smiled"), text("was sad"), text("went faster"), text("ate the last apple"), text("did not turn back")}
}

// ending closes a story; "In the end" begins no event.
func ending() node {
	return sequence{text("In the end {he} "), choice{
		text("carried the {thing} home to {his} {kin}."),
		text("found the {thing} under {his} own bed."),
		text("gave the {thing} away, and was glad."),
		text("never saw the {place} again."),
		text("married, and forgot the {thing}."),
	}}
}

func people() []map[string]string {
	person := func(name, he, he2, his, kin string) map[string]string {
		return map[string]string{"name": name, "he": he, "He": he2, "his": his, "kin": kin}
	}
	return []map[string]string{
		person("Anna", "she", "She", "her", "brother"),
		person("Tom", "he", "He", "his", "mother"),
		person("Mira", "she", "She", "her", "father"),
		person("Old Pavel", "he", "He", "his", "son"),
		person("Greta", "she", "She", "her", "sister"),
		person("Jon the smith", "he", "He", "his", "daughter"),
		person("Little Wren", "she", "She", "her", "grandmother"),
		person("Bartholomew", "he", "He", "his", "uncle"),
	}
}

func places() []map[string]string {
	return named("place", "mill", "river", "market", "old bridge", "forest", "well", "hill above the church", "harbour")
}

func things() []map[string]string {
	return named("thing", "red horse", "silver ring", "warm coat", "new axe", "lamp", "song", "pair of boots", "clock that tells the truth")
}

func named(key string, values ...string) []map[string]string {
	out := make([]map[string]string, len(values))
	for i, v := range values {
		out[i] = map[string]string{key: v}
	}
	return out
}

package course

import "strings"

// Parts of the solution's sampling that several mistakes change.
const (
	sampleFile   = "sample.go"
	sampleScale  = "probs[i] = float32(float64(x-largest) / temperature)"
	sampleSoft   = "	softmax.Softmax(p, p, 0)\n"
	sampleGreedy = "	if temperature == 0 {\n		probs[slices.Index(logits, largest)] = 1\n		return probs\n	}\n"
	sampleSort   = "	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[b], probs[a]) })\n"
	sampleCut    = "		if sum >= topP {\n			probs[id] = 0\n		}\n		sum += float64(probs[id])\n"
	sampleNorm   = "	kernel.Scale(float32(1/sum), probs)\n"
	sampleKeep   = "	if topP < 1 {\n		keepNucleus(probs, topP)\n	}\n"
)

func sampling(id, title string, edits []Edit, why, hint string, variants ...Variant) Mistake {
	return Mistake{ID: id, Title: title, File: sampleFile, Old: edits[0].Old, New: edits[0].New, More: edits[1:], Why: why, Hint: hint, Variants: variants}
}

// temperatureMistakes are about the sharpness of the distribution.
func temperatureMistakes() []Mistake {
	const (
		before = "softmax(logits/temperature): a temperature of 2 takes the root of every ratio of two probabilities. After the softmax, a factor that all have in common goes away when they are made to sum to 1 again."
		ties   = "		for i, x := range logits {\n			if x == largest {\n				probs[i] = 1\n			}\n		}\n		kernel.Scale(1/kernel.Sum(probs), probs)\n"
	)
	greedy := func(body string) string { return "	if temperature == 0 {\n" + body + "		return probs\n	}\n" }
	return []Mistake{
		sampling("temperature-without-effect", "the temperature has no effect: it is left out, or divides the probabilities and not the logits",
			[]Edit{{sampleScale, "probs[i] = x - largest"}}, before, "Divide the logits, then take the softmax.",
			Variant{"not-renormalised", []Edit{{sampleScale, "probs[i] = x - largest"}, {sampleSoft, sampleSoft + "	kernel.Scale(float32(1/temperature), probs)\n"}}}),
		sampling("temperature-multiplied", "the logits are multiplied by the temperature instead of divided",
			[]Edit{{sampleScale, "probs[i] = float32(float64(x-largest) * temperature)"}},
			"Hot means random: a high temperature makes all tokens alike, a low one leaves only the likeliest.", "logits/temperature."),
		sampling("temperature-after-nucleus", "the nucleus is cut first and the temperature applied to what is left",
			[]Edit{
				{sampleScale, "probs[i] = x - largest"},
				{sampleKeep, sampleKeep + "	sum := 0.0\n	for i, q := range probs {\n		probs[i] = float32(math.Pow(float64(q), 1/temperature))\n		sum += float64(probs[i])\n	}\n	kernel.Scale(float32(1/sum), probs)\n"},
				{"	\"fmt\"\n", "	\"fmt\"\n	\"math\"\n"},
			}, "How many tokens make up the mass p depends on the temperature.", "First the temperature, then the cut."),
		sampling("greedy-last", "of several largest logits the last one is chosen at temperature 0",
			[]Edit{{sampleGreedy, "	if temperature == 0 {\n		best := 0\n		for i, x := range logits {\n			if x >= logits[best] {\n				best = i\n			}\n		}\n		probs[best] = 1\n		return probs\n	}\n"}},
			"A rule for ties is arbitrary, but every run and every implementation has to have the same one.", "Of equals the first: compare with >, not with >=."),
		sampling("greedy-shared", "several largest logits share the mass at temperature 0",
			[]Edit{{sampleGreedy, greedy(ties)}}, "Temperature 0 leaves nothing to chance.", "All mass on the first largest logit.",
			Variant{"tiny", []Edit{{sampleGreedy, "	if temperature == 0 {\n		temperature = 1e-9\n	}\n"}}}),
		sampling("temperature-0-divides", "temperature 0 divides by zero: the probabilities are NaN",
			[]Edit{{sampleGreedy, ""}}, "0/0 is NaN. The limit of the softmax exists, but the formula does not reach it.", "Treat temperature 0 before anything is divided."),
		sampling("temperature-0-as-1", "temperature 0 is taken for no temperature at all",
			[]Edit{{sampleGreedy, "	if temperature == 0 {\n		temperature = 1\n	}\n"}}, "In many interfaces 0 stands for a default. Here it is the limit of small temperatures.", "All mass on the first largest logit."),
	}
}

// nucleusMistakes are about top-p.
func nucleusMistakes() []Mistake {
	const (
		why   = "The nucleus is the smallest set of likeliest tokens that holds at least the mass p."
		hint  = "Sort by probability, walk down, and keep a token as long as the sum of those before it is below p."
		count = "keep := int(math.Ceil(topP * float64(len(probs))))\n"
	)
	cut := func(condition string) string {
		return "		if " + condition + " {\n			probs[id] = 0\n		}\n		sum += float64(probs[id])\n"
	}
	// over cuts everything from the first token on that meets a condition.
	over := func(condition string) []Edit {
		return []Edit{
			{"	sum := 0.0\n	for _, id := range order {\n", "	sum, over := 0.0, false\n	for _, id := range order {\n"},
			{sampleCut, "		over = over || " + condition + "\n		if over {\n			probs[id] = 0\n		}\n		sum += float64(probs[id])\n"},
		}
	}
	return []Mistake{
		sampling("nucleus-drops-crossing", "top-p drops the token that crosses p",
			over("sum+float64(probs[id]) > topP"), why+" Without the token that crosses p it holds less, and may be empty.", hint,
			Variant{"never-empty", over("sum > 0 && sum+float64(probs[id]) > topP")},
			Variant{"skips", []Edit{{sampleCut, cut("sum+float64(probs[id]) > topP")}}},
			Variant{"skips-never-empty", []Edit{{sampleCut, cut("sum > 0 && sum+float64(probs[id]) > topP")}}}),
		sampling("nucleus-one-too-many", "top-p keeps one token more than it takes to reach p",
			[]Edit{{sampleCut, "		reached := sum >= topP\n		if passed {\n			probs[id] = 0\n		}\n		passed = reached\n		sum += float64(probs[id])\n"}, {"	sum := 0.0\n	for _, id := range order {\n", "	sum, passed := 0.0, false\n	for _, id := range order {\n"}},
			why, hint),
		sampling("nucleus-not-renormalised", "what top-p keeps is not divided by its sum",
			[]Edit{{sampleNorm, ""}}, "Probabilities sum to 1. Draw can do without, but who compares two distributions cannot.", "Divide what is kept by its sum."),
		sampling("nucleus-by-own-probability", "top-p judges every token by its own probability instead of the sum of those before it",
			[]Edit{{sampleCut, cut("float64(probs[id]) < topP")}}, why+" How large a token's own probability is does not matter.", hint,
			Variant{"of-largest", []Edit{{sampleCut, cut("probs[id] < float32(topP)*probs[order[0]]")}}},
			Variant{"complement", []Edit{{sampleCut, cut("float64(probs[id]) < 1-topP")}}}),
		sampling("nucleus-not-sorted", "top-p goes through the tokens in the order of their ids",
			[]Edit{{sampleSort, ""}, {"	\"cmp\"\n", ""}}, why, "Sort by probability, the largest first."),
		sampling("nucleus-ascending", "top-p keeps the least likely tokens",
			[]Edit{{sampleSort, strings.Replace(sampleSort, "probs[b], probs[a]", "probs[a], probs[b]", 1)}}, why, "Sort by probability, the largest first."),
		sampling("nucleus-as-share", "top-p keeps a share p of the vocabulary instead of a share p of the probability",
			[]Edit{{sampleCut, "		if order[keep-1] == id {\n			last = true\n		} else if last {\n			probs[id] = 0\n		}\n		sum += float64(probs[id])\n"},
				{"	sum := 0.0\n	for _, id := range order {\n", "	" + count + "	sum, last := 0.0, false\n	for _, id := range order {\n"}, {"	\"fmt\"\n", "	\"fmt\"\n	\"math\"\n"}},
			why, hint),
		sampling("nucleus-ignored", "top-p is ignored: every token stays possible",
			[]Edit{{sampleKeep, ""}}, "The many unlikely tokens together are likely. One of them comes up every few words, and the text loses its way.", hint),
	}
}

// drawTokenMistakes are about drawing from a distribution.
func drawTokenMistakes() []Mistake {
	const (
		u    = "u := rng.Float64() * total"
		walk = "	for id, p := range probs {\n		sum += float64(p)\n		if u < sum {\n			return id\n		}\n	}\n"
		line = "A number u between 0 and 1 falls on a line on which every token has a piece as long as its probability."
		hint = "Walk down the cumulative sum until it passes u, and return the token it has just passed."
	)
	return []Mistake{
		sampling("draw-likeliest", "Draw always returns the likeliest token",
			[]Edit{{walk, "	best := 0\n	for id, p := range probs {\n		if p > probs[best] {\n			best = id\n		}\n	}\n	if sum <= u {\n		return best\n	}\n"}}, line, hint),
		sampling("draw-uniform", "Draw returns every possible token equally often",
			[]Edit{{walk, "	var possible []int\n	for id, p := range probs {\n		if p > 0 {\n			possible = append(possible, id)\n		}\n	}\n	if sum <= u {\n		return possible[rng.IntN(len(possible))]\n	}\n"}}, line, hint,
			Variant{"of-all", []Edit{{walk, "	if sum <= u {\n		return rng.IntN(len(probs))\n	}\n"}}}),
		sampling("draw-one-off", "Draw returns the token after the one that it has drawn",
			[]Edit{{walk, strings.Replace(walk, "return id\n", "return id + 1\n", 1)}}, line, hint,
			Variant{"before", []Edit{{walk, strings.Replace(walk, "return id\n", "return max(0, id-1)\n", 1)}}}),
		sampling("draw-own-generator", "Draw uses a generator of its own instead of the one that is passed in",
			[]Edit{{u, "_ = rng\n	u := rand.Float64() * total"}}, "A text that cannot be generated again cannot be looked into.", "Draw u from rng."),
		sampling("draw-new-generator", "Draw makes a new generator in every call, which gives the same number each time",
			[]Edit{{u, "rng = rand.New(rand.NewPCG(1, 2))\n	u := rng.Float64() * total"}}, "A generator moves on with every number. A new one from the same seed begins again.", "Draw u from rng."),
		sampling("draw-fresh-number", "Draw draws a new number for every token that it passes",
			[]Edit{{walk, strings.Replace(walk, "if u < sum {", "if u = rng.Float64() * total; u < sum {", 1)}}, line+" There is one u for a draw.", "Draw u once, before the loop."),
	}
}

// generateMistakes are about writing text.
func generateMistakes() []Mistake {
	const (
		file    = "generate.go"
		rounds  = "	for range s.MaxNew {\n"
		context = "context := text[max(0, len(text)-m.Config.ContextLength):]"
		last    = "last := logits.Row(len(context) - 1)"
		next    = "next := Draw(Distribution(last, s.Temperature, s.TopP), rng)"
		stop    = "		if next == s.Stop {\n			break\n		}\n"
		add     = "		text = append(text, next)\n"
		end     = "return text[len(prompt):], nil"
		window  = "A text longer than the context is read through a window that moves along with it."
	)
	change := func(id, title, old, new, why, hint string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: file, Old: old, New: new, Why: why, Hint: hint, Variants: variants}
	}
	return []Mistake{
		change("stop-included", "the stop token is part of the text", stop+add, add+stop,
			"The stop token says that the text has ended before it.", "Compare with Stop before you append."),
		change("stop-ignored", "the stop token does not end the text", stop, "", "Without it a model goes on to the next document.", "Break when the token is Stop."),
		change("stop-skipped", "the stop token is left out, but the text goes on", stop, "		if next == s.Stop {\n			continue\n		}\n",
			"continue goes to the next round, break ends the loop.", "break."),
		change("first-of-context", "a text longer than the context keeps its first tokens instead of its last", context, "context := text[:min(len(text), m.Config.ContextLength)]",
			window+" With its beginning alone, the model answers the same for ever.", "text[max(0, len(text)-ContextLength):]"),
		change("context-one-short", "a long text is cut to one token less than the context holds", context, "context := text[max(0, len(text)-m.Config.ContextLength+1):]",
			window, "The last ContextLength tokens."),
		change("prompt-of-context", "the window keeps the prompt and as many new tokens as fit",
			context, "context := text\n		if over := len(text) - m.Config.ContextLength; over > 0 && len(prompt) < m.Config.ContextLength {\n			context = append(slices.Clone(prompt), text[len(prompt)+over:]...)\n		} else if over > 0 {\n			context = text[over:]\n		}",
			window, "The last ContextLength tokens, whatever they are."),
		change("prompt-returned", "the prompt is returned together with the new tokens", end, "return text, nil",
			"Who calls has the prompt already.", "return text[len(prompt):]."),
		change("first-logits", "the next token is drawn from the logits of the first position", last, "last := logits.Row(0)",
			"The logits at a position are about the token after it. Only the last position is about one that is not there yet.", "logits.Row(T − 1)."),
		change("one-token-more", "one token more than MaxNew is generated", rounds, "	for range s.MaxNew + 1 {\n",
			"MaxNew counts tokens, not what lies between them.", "for range MaxNew."),
		change("one-token-less", "one token less than MaxNew is generated", rounds, "	for range s.MaxNew - 1 {\n",
			"MaxNew counts tokens, not what lies between them.", "for range MaxNew."),
		change("one-token-only", "the model reads only the last token, not the text before it", context, "context := text[len(text)-1:]",
			"A Transformer remembers nothing from one Forward to the next. What it shall know has to be in the context.", "The last ContextLength tokens."),
		change("always-greedy", "the temperature is ignored: the text is always the likeliest one", next, "next := Draw(Distribution(last, 0, s.TopP), rng)",
			"The likeliest token each time gives a text that repeats itself.", "Distribution(last, s.Temperature, s.TopP)."),
		change("temperature-not-passed", "the text is drawn at temperature 1, whatever is asked for", next, "next := Draw(Distribution(last, 1, s.TopP), rng)",
			"At temperature 0 the text must be the same every time.", "Distribution(last, s.Temperature, s.TopP)."),
		change("top-p-not-passed", "top-p is not passed on to Distribution", next, "next := Draw(Distribution(last, s.Temperature, 1), rng)",
			"The many unlikely tokens together are likely.", "Distribution(last, s.Temperature, s.TopP)."),
		change("generator-not-used", "the text does not depend on the generator that is passed in", next, "next := Draw(Distribution(last, s.Temperature, s.TopP), rand.New(rand.NewPCG(uint64(len(text)), 0)))",
			"Another seed should give another text, and the same seed the same.", "Draw(…, rng)."),
	}
}

package explore

import (
	"maps"

	"github.com/stubformer/stubformer/grader/lang"
)

// words returns all that the page says, by key. {0}, {1} … stand for what the page
// fills in.
func words(p lang.Printer) map[string]string {
	all := map[string]string{}
	for _, some := range []map[string]string{wordsAround(p), wordsOfText(p), wordsOfPanels(p), wordsOfParts(p), wordsOfPublished(p)} {
		maps.Copy(all, some)
	}
	return all
}

// wordsAround are those of the frame: header, keys, messages.
func wordsAround(p lang.Printer) map[string]string {
	return map[string]string{
		"title":           p.Say("A model under glass"),
		"shape":           p.Say("{0} layers · {1} heads · d_model {2} · context {3} · {4} tokens"),
		"language":        p.Say("language"),
		"theme":           p.Say("theme: {0}"),
		"auto":            p.Say("auto"),
		"light":           p.Say("light"),
		"dark":            p.Say("dark"),
		"keys":            p.Say("Keys"),
		"freeze":          p.Say("Save this view"),
		"freezing":        p.Say("Collecting everything for the saved page …"),
		"reading":         p.Say("The model is reading …"),
		"slow":            p.Say("The model is still reading; a long text or a busy machine takes its time."),
		"gone":            p.Say("The server does not answer. Is grade explore still running?"),
		"footer":          p.Say("Every number comes from your own code, on this machine. Ctrl-C in the terminal ends the page."),
		"footerSolutions": p.Say("Every number comes from the solutions, on this machine. Ctrl-C in the terminal ends the page."),
		"byMine":          p.Say("trained by your own code"),
		"bySolutions":     p.Say("trained by the solutions"),
		"byBoth":          p.Say("trained by your own code and the solutions"),
		"frozen":          p.Say("A saved view: it shows what was computed when it was saved, and asks nobody."),
		"keyTokens":       p.Say("the token before, the token after"),
		"keyEnds":         p.Say("the first token, the end of the text"),
		"keyHeads":        p.Say("another head, when one is chosen"),
		"keyMap":          p.Say("another cell of the map, when it is chosen; its row's token"),
		"keyWrite":        p.Say("write one token"),
		"keySnapshot":     p.Say("an earlier, a later snapshot of the training"),
		"keySource":       p.Say("type a text; Ctrl-Enter reads it"),
		"keyHelp":         p.Say("these keys"),
		"close":           p.Say("Close"),
		"comma":           p.Say("; "),
	}
}

func wordsOfText(p lang.Printer) map[string]string {
	return map[string]string{
		"text":       p.Say("The text and its surprises"),
		"source":     p.Say("the text"),
		"read":       p.Say("Read"),
		"tokens":     p.Say("the tokens of the text"),
		"quoted":     p.Say("“{0}”"),
		"aCharacter": p.Say("A token is a character."),
		"aPiece":     p.Say("A token is a piece of text."),
		"chooseHint": p.Say("Click one to see how it was foretold."),
		"tokenLabel": p.Say("{0}: {1} nats of surprise"),
		"firstLabel": p.Say("{0}: the first token, which nothing foretold"),
		"cut":        p.Say("The model reads the last {0} of {1} tokens; those before are pale."),
		"endLabel":   p.Say("the end of the text: what comes next?"),
		"knew":       p.Say("expected, 0 nats"),
		"blind":      p.Say("a blind guess, ln {0} = {1} nats"),
		"loss":       p.Say("loss: mean surprise, −ln(probability)"),
		"nats":       p.Say("nats per token"),
		"perplexity": p.Say("perplexity: as if guessing among"),
		"ofTokens":   p.Say("of {0} tokens"),
		"whole":      p.Say("with every part on"),
		"training":   p.Say("Through the training"),
		"trainingNote": p.Say("The loss of this text after so many steps of the training, and the surprise of the chosen token. " +
			"Choose a snapshot, and the whole page shows the model as it was then."),
		"noSnapshots": p.Say("This model has no snapshots: they are kept by grade train from now on."),
		"snapshot":    p.Say("snapshot"),
		"now":         p.Say("now"),
		"stepN":       p.Say("step {0}"),
		"chartLabel":  p.Say("the loss of the text by step of the training"),
		"meanOfText":  p.Say("mean of the text"),
	}
}

func wordsOfPanels(p lang.Printer) map[string]string {
	return map[string]string{
		"expected":      p.Say("What it expected"),
		"actual":        p.Say("{0} came: {1} nats, probability {2}, number {3} of its guesses."),
		"nothingYet":    p.Say("Nothing has come yet. Choose a token, or let the model write."),
		"goOn":          p.Say("go on from here with {0}"),
		"rest":          p.Say("{0} others have {1} together."),
		"rawNote":       p.Say("A bar is the probability of being drawn; the line in it is the model's own, at temperature 1."),
		"rawLabel":      p.Say("the model's own: {0}"),
		"nucleus":       p.Say("{0} of {1} tokens can be drawn."),
		"temperature":   p.Say("temperature"),
		"topP":          p.Say("top-p"),
		"write":         p.Say("Write one token"),
		"writeMore":     p.Say("Write 20"),
		"dice":          p.Say("Reshuffle"),
		"newDice":       p.Say("The next tokens are drawn with seed {0}."),
		"ended":         p.Say("The model has ended its text."),
		"attention":     p.Say("What it looked at"),
		"attentionNote": p.Say("Choose a head: its arcs stand over the text."),
		"theNext":       p.Say("The next token"),
		"attentionFrom": p.Say("{0} is foretold at {1}, just before it, where {2} looks at"),
		"mapNote":       p.Say("A row for each token that looks, a column for each that is looked at."),
		"mapCell":       p.Say("{0} looks at {1}, {2} back: {3}"),
		"mapHidden":     p.Say("{0} cannot look at {1}: it comes later."),
		"heads":         p.Say("the heads of all layers"),
		"looked":        p.Say("{0} {1}, {2} back"),
		"lookedHere":    p.Say("{0} {1}, itself"),
		"mapLabel":      p.Say("attention of {0}: a row for each token that looks, a column for each that is looked at"),
	}
}

func wordsOfParts(p lang.Printer) map[string]string {
	return map[string]string{
		"path": p.Say("The path of the token"),
		"pathNote": p.Say("What goes from part to part just before the chosen token, where that is foretold. Below a part: what the model would say " +
			"if it ended there, and the probability of the token that came. A band is as thick as what its part adds; its number is how " +
			"much the loss grows without that part alone. As parts build on one another, the numbers need not add up. " +
			"Click a part to switch it off."),
		"offNote":       p.Say("Switched off: {0}."),
		"saysLabel":     p.Say("{0}: {1}"),
		"allOn":         p.Say("Switch everything on"),
		"off":           p.Say("off"),
		"embedding":     p.Say("embedding"),
		"layerN":        p.Say("layer {0}"),
		"headN":         p.Say("head {0}"),
		"attentionPart": p.Say("attention"),
		"ffn":           p.Say("feed-forward"),
		"sizeLabel":     p.Say("size {0}"),
		"withoutLabel":  p.Say("loss without it: {0}"),
	}
}

func wordsOfPublished(p lang.Printer) map[string]string {
	return map[string]string{
		"publishedModel": p.Say("A language model that runs in your browser"),
		"publishedBy":    p.Say("A language model by {0}, which runs in your browser"),
		"publishedLoss":  p.Say("loss {0} nats per token on text that it had not seen"),
		"publishedFloor": p.Say("no model can come below {0}"),
		"publishedMine": p.Say("Every number comes from the code of whoever built the model: steps 01 to 10 of Stubformer, and 12 if it is written, " +
			"compiled to WebAssembly. The course multiplies the matrices."),
		"publishedSolutions": p.Say("Every number comes from the solutions of Stubformer, compiled to WebAssembly."),
		"publishedAlone":     p.Say("All of it happens in this page; nothing is fetched, and nothing is sent."),
		"letWrite":           p.Say("Let it write"),
		"stop":               p.Say("Stop"),
		"letWriteNote":       p.Say("It goes on behind your text, for 200 tokens."),
		"crashed":            p.Say("The model's code has ended: {0}. It starts anew with the next question."),
	}
}

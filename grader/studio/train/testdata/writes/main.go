// Command writes prints what a small model writes, as JSON, twice: token by token with
// a cache, whether there is one, and by reading the whole text again. Its arguments are the
// context length of the model and how many tokens to write.
package main

import (
	"encoding/json"
	"log"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/stubformer/stubformer/grader/programs/generate"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

func main() {
	context, tokens := 19, 30
	if len(os.Args) == 3 {
		context, _ = strconv.Atoi(os.Args[1])
		tokens, _ = strconv.Atoi(os.Args[2])
	}
	m := lm.New(lm.Config{VocabSize: 13, ContextLength: context, DModel: 48, NumLayers: 2, NumHeads: 6, DFF: 20, RopeTheta: 100}, 5)
	s := lm.Sampling{MaxNew: tokens, Temperature: 0.9, TopP: 0.95, Stop: -1}
	prompt := []int{1, 2, 3, 4}
	want, err := m.Generate(prompt, s, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		log.Fatal(err)
	}
	w := writer.New(m, prompt, s, rand.New(rand.NewPCG(1, 2)))
	var got []int
	for range want {
		next, err := w.Next()
		if err != nil {
			log.Fatal(err)
		}
		got = append(got, next)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"cached": w.Cached(), "ring": w.InRing(), "got": got, "want": want})
}

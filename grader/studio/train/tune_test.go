package train_test

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// tuning is a small model that can be fine-tuned, with the program that does it.
type tuning struct {
	dir    string
	tongue *train.Tongue
	kit    *workspace.Kit
	model  run.Model
}

func newTuning(t *testing.T, with ...string) tuning {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	s := settings()
	s.Model.ContextLength, s.Model.DModel, s.Model.NumHeads, s.Model.DFF, s.Model.With = 256, 24, 4, 40, with
	if slices.Contains(with, "gqa") {
		s.Model.NumKVHeads = 2
	}
	s.Recipe.Steps, s.Recipe.EvalEvery, s.Recipe.EvalBatches = 4, 4, 1
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, run.Create(dir, run.Text{Corpus: corpus.VillagesName, Text: corpus.Villages(1, 40_000)}, 3, s))
	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
	require.NoError(t, err)
	require.NoError(t, train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(run.Event) {}))
	tongue, err := train.NewTongue(dir, train.UsualTemplate(), nil)
	require.NoError(t, err)
	return tuning{dir, tongue, kit, s.Model}
}

func (u tuning) binary(t *testing.T, adapters bool) string {
	binary, err := train.BuildTuner(t.Context(), u.kit, workspace.Solutions(), u.model, adapters, t.TempDir())
	require.NoError(t, err)
	return binary
}

func lesson(rank int, seed uint64) train.Lesson {
	return train.Lesson{Rank: rank, Alpha: 6, Steps: 12, Batch: 4, LR: 0.02, Seed: seed}
}

// learn fine-tunes and returns the file of what was trained, and the losses.
func (u tuning) learn(t *testing.T, binary string, l train.Lesson) (file string, losses []float64) {
	file = filepath.Join(t.TempDir(), "out.safetensors")
	questions := corpus.Questions(l.Seed, 40, false, corpus.English, corpus.Chinese)
	tuned, err := u.tongue.Learn(t.Context(), binary, u.dir, l, questions, file, t.TempDir(), io.Discard, func(e run.Event) {
		if e.Step != nil {
			losses = append(losses, e.Step.Loss)
		}
	})
	require.NoError(t, err)
	require.Len(t, losses, l.Steps)
	state, err := weights.Read(file)
	require.NoError(t, err)
	numbers := 0
	for name, tensor := range state {
		if !strings.HasSuffix(name, ".alpha") {
			numbers += tensor.Len()
		}
	}
	require.Equal(t, numbers, tuned.Params, "what is trained is what is saved")
	return file, losses
}

// said is what a model writes with an adapter.
func said(t *testing.T, a *train.Answerer, adapter string, merged bool) (texts []string) {
	a.Adapter, a.Merged = adapter, merged
	for _, q := range corpus.Questions(1, 4, true, corpus.English, corpus.Chinese) {
		text, _, err := a.Answer(q.Story, q.Question)
		require.NoError(t, err)
		texts = append(texts, text)
	}
	return texts
}

// TestAdapters trains adapters with the layer of step 17 in the whole model: they learn, the
// weights stay, merged they say the same, and they are swapped in one model.
func TestAdapters(t *testing.T) {
	sweep.Only(t)
	u := newTuning(t)
	binary := u.binary(t, true)
	before := parametersIn(t, u.dir)
	file, losses := u.learn(t, binary, lesson(2, 1))
	require.Less(t, losses[len(losses)-1], losses[0])
	require.Equal(t, before, parametersIn(t, u.dir))
	other, _ := u.learn(t, binary, lesson(3, 2))

	state, err := weights.Read(file)
	require.NoError(t, err)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if adapter, ok := strings.CutSuffix(name, ".lora_A"); ok {
			names = append(names, adapter)
		}
	}
	require.Equal(t, []string{"layers.0.attn.output_proj", "layers.0.attn.qkv_proj", "layers.0.ffn.w1", "layers.0.ffn.w2",
		"layers.0.ffn.w3", "lm_head"}, names)
	require.Equal(t, []int{2, 24}, state["layers.0.attn.qkv_proj.lora_A"].Shape)
	require.Equal(t, []float32{6}, state["lm_head.alpha"].Data)

	a := u.tongue.NewAnswerer(binary, u.dir, io.Discard)
	defer a.Close()
	plain, one, two := said(t, a, "", false), said(t, a, file, false), said(t, a, other, false)
	require.NotEqual(t, plain, one)
	require.NotEqual(t, one, two)
	require.Equal(t, one, said(t, a, file, true), "merged")
	require.Equal(t, two, said(t, a, other, true), "swapped while merged")
	require.Equal(t, one, said(t, a, file, false), "swapped back")
	require.Equal(t, plain, said(t, a, "", false), "taken out again")

	// The other program, in which nothing stands in for the Linear, says the same without one.
	own := u.tongue.NewAnswerer(u.binary(t, false), u.dir, io.Discard)
	defer own.Close()
	require.Equal(t, plain, said(t, own, "", false))

	// What does not fit is refused, and the conversation goes on.
	delete(state, "lm_head.alpha")
	broken := filepath.Join(t.TempDir(), "broken.safetensors")
	require.NoError(t, weights.Write(broken, state))
	a.Adapter = broken
	_, _, err = a.Answer("", "Where did Anna go?")
	require.ErrorContains(t, err, "lm_head.alpha")
	require.Equal(t, one, said(t, a, file, false))

	// A second time the same adapter comes out, and with another seed another one.
	again, _ := u.learn(t, binary, lesson(2, 1))
	require.Equal(t, bytesOf(t, file), bytesOf(t, again))
	seed, _ := u.learn(t, binary, lesson(2, 5))
	require.NotEqual(t, bytesOf(t, file), bytesOf(t, seed))
}

// Adapters go with other electives: here with grouped queries, whose cache reads the layers.
func TestAdaptersWithGroups(t *testing.T) {
	sweep.Only(t)
	u := newTuning(t, "gqa")
	binary := u.binary(t, true)
	file, losses := u.learn(t, binary, lesson(2, 1))
	require.Less(t, losses[len(losses)-1], losses[0])
	a := u.tongue.NewAnswerer(binary, u.dir, io.Discard)
	defer a.Close()
	require.Equal(t, said(t, a, file, false), said(t, a, file, true))
}

// TestAllParameters trains everything, and makes a folder of it that any command reads.
func TestAllParameters(t *testing.T) {
	sweep.Only(t)
	u := newTuning(t)
	binary := u.binary(t, false)
	file, losses := u.learn(t, binary, lesson(0, 1))
	require.Less(t, losses[len(losses)-1], losses[0])
	out := filepath.Join(t.TempDir(), "tuned")
	require.NoError(t, train.SaveTuned(file, u.dir, out))
	a, b := u.tongue.NewAnswerer(binary, u.dir, io.Discard), u.tongue.NewAnswerer(binary, out, io.Discard)
	defer a.Close()
	defer b.Close()
	require.NotEqual(t, said(t, a, "", false), said(t, b, "", false))
}

func TestTuningRefuses(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	_, err = train.BuildTuner(t.Context(), kit, workspace.Solutions(), run.Model{With: []string{"formats"}}, true, t.TempDir())
	require.ErrorContains(t, err, "with formats the model only generates")

	u := newTuning(t)
	for name, c := range map[string]struct {
		template train.Template
		want     string
	}{
		"no question":    {train.Template{Prompt: "{story}", End: "\n"}, "want one in which {question} stands"},
		"no end":         {train.Template{Prompt: "{question}"}, "want a text that is one"},
		"two ends":       {train.Template{Prompt: "{question}", End: "ab"}, "2 tokens of this model"},
		"an unknown end": {train.Template{Prompt: "{question}", End: "☂"}, "the model has never seen"},
	} {
		_, err := train.NewTongue(u.dir, c.template, nil)
		require.ErrorContains(t, err, c.want, name)
	}
	long := []corpus.Question{{Story: strings.Repeat("a", 250), Question: "Who?", Answer: "Anna"}}
	_, err = u.tongue.Learn(t.Context(), "", u.dir, lesson(1, 1), long, "", t.TempDir(), io.Discard, func(run.Event) {})
	require.ErrorContains(t, err, "the model reads 256 at once")
	unknown := []corpus.Question{{Question: "Who is Zoë?", Answer: "Anna"}}
	_, err = u.tongue.Learn(t.Context(), "", u.dir, lesson(1, 1), unknown, "", t.TempDir(), io.Discard, func(run.Event) {})
	require.ErrorContains(t, err, "never seen")
	for name, c := range map[string]struct {
		lesson train.Lesson
		want   string
	}{
		"alpha": {train.Lesson{Rank: 1}, "alpha is 0"},
		"rank":  {train.Lesson{Rank: -1}, "the rank is -1"},
		"steps": {train.Lesson{Rank: 1, Alpha: 1}, "--steps is 0"},
		"batch": {train.Lesson{Steps: 1}, "--batch is 0"},
		"lr":    {train.Lesson{Steps: 1, Batch: 1, LR: 3}, "the learning rate is 3"},
	} {
		require.ErrorContains(t, c.lesson.Check(), c.want, name)
	}
}

func TestTemplate(t *testing.T) {
	usual := train.UsualTemplate()
	require.Equal(t, "A story.\nWho?\n", usual.Fill("A story.", "Who?"))
	require.Equal(t, "Who?\n", usual.Fill("", "Who?"))
	require.Equal(t, usual, train.Template{Prompt: `{story}\n{question}\n`, End: `\n`}.Unquoted())
	require.Equal(t, "{question}", usual.Fill("{question}", "")[:10], "what stands in a story is no place for the question")
}

// TestPassage looks answers up: what is in few of the texts decides.
func TestPassage(t *testing.T) {
	notes := []string{"Anna went to the mill. She wanted a lamp.", "Tom went to the river. He wanted a song.", "汤姆去了河边。他想要一首歌。", "安娜去了磨坊。"}
	require.Equal(t, notes[1], train.Passage(notes, "Where did Tom go?"))
	require.Equal(t, notes[0], train.Passage(notes, "Who wanted a lamp?"))
	require.Equal(t, notes[2], train.Passage(notes, "汤姆想要什么？"))
	require.Equal(t, notes[3], train.Passage(notes, "安娜去了哪里？"))
	require.Equal(t, notes[1], train.Passage(notes, "WHO WENT TO THE RIVER?"))
	require.Empty(t, train.Passage(notes, "Ω？"))

	file := filepath.Join(t.TempDir(), "notes.txt")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(notes, "\r\n\r\n")+"\n\n\n"), 0o600))
	read, err := train.Notes(file)
	require.NoError(t, err)
	require.Equal(t, notes, read)
	require.NoError(t, os.WriteFile(file, []byte("\n\n"), 0o600))
	_, err = train.Notes(file)
	require.ErrorContains(t, err, "is empty; want notes")
	_, err = train.Notes(filepath.Join(t.TempDir(), "nowhere"))
	require.ErrorContains(t, err, "there is no file")
}

func bytesOf(t *testing.T, file string) []byte {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return data
}

// parametersIn are the bytes of a run's checkpoint.
func parametersIn(t *testing.T, dir string) []byte {
	return bytesOf(t, filepath.Join(dir, run.CheckpointFile))
}

package train_test

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/tensor"
)

// asked is a run that can be asked about, and the program that answers.
type asked struct {
	*testing.T
	binary, dir string
	ids         []int // a text
	c           *train.Conversation
}

// ask puts a question and reads the answer.
func ask[Answer any](t *asked, q inside.Question) (a Answer) {
	t.Helper()
	if q.IDs == nil {
		q.IDs = t.ids
	}
	data, err := t.c.Ask(q)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &a))
	return a
}

const text = "One morn"

// TestConversation compares what is answered about a model with what other commands
// say of the same model.
func TestConversation(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), settings().Model, t.TempDir())
	require.NoError(t, err)
	s := settings()
	s.Model.NumLayers = 2
	dir := newRun(t, s)
	trained(t, binary, dir)
	c, err := run.Open(dir)
	require.NoError(t, err)
	tokens, err := tokenizer.Open(dir, c.VocabSize)
	require.NoError(t, err)
	ids, err := tokens.Prompt(text)
	require.NoError(t, err)
	talk := train.Converse(binary, dir, io.Discard)
	defer talk.Close()
	for name, test := range map[string]func(*asked){
		"the loss is that of eval":                   sameLoss,
		"attention is that of plot":                  sameAttention,
		"the likeliest is that of generate":          sameText,
		"the last stage is the model":                lastStage,
		"contributions":                              contributions,
		"without a part, eval's loss is the same":    withoutParts,
		"the last snapshot is the model":             snapshots,
		"a question that has no answer is refused":   refuses,
		"step by step is the same as all at once":    stepByStep,
		"a model is as before after each answer":     unchanged,
		"temperature and top-p are those of step 10": nucleus,
	} {
		t.Run(name, func(t *testing.T) { test(&asked{t, binary, dir, ids, talk}) })
	}
}

// evaluated is the loss of a model on the text as grade eval has it.
func evaluated(t *asked, dir string) float64 {
	t.Helper()
	on := filepath.Join(t.TempDir(), "on")
	require.NoError(t, os.CopyFS(on, os.DirFS(t.dir)))
	var data []byte
	for _, id := range t.ids {
		data = binary.LittleEndian.AppendUint16(data, uint16(id))
	}
	require.NoError(t, os.WriteFile(filepath.Join(on, run.ValidationFile), data, 0o600))
	e, err := train.Evaluate(t.Context(), t.binary, dir, train.Reading{On: on}, io.Discard)
	require.NoError(t, err)
	return e.Loss
}

func sameLoss(t *asked) {
	r := ask[inside.Reading](t, inside.Question{Ask: inside.Read})
	require.Len(t, r.Surprise, len(text)-1)
	sum := 0.0
	for _, s := range r.Surprise {
		sum += s
	}
	require.InDelta(t, r.Loss, sum/float64(len(r.Surprise)), 1e-12)
	require.InDelta(t, evaluated(t, t.dir), r.Loss, 1e-6)
	require.Empty(t, ask[inside.Reading](t, inside.Question{Ask: inside.Read, IDs: t.ids[:1]}).Surprise)
}

func sameAttention(t *asked) {
	a, err := train.Attend(t.Context(), t.binary, t.dir, text, nil, io.Discard)
	require.NoError(t, err)
	for layer, want := range a.Layers {
		got := ask[inside.Weights](t, inside.Question{Ask: inside.Attention, Layer: layer + 1})
		require.Len(t, got, want.Dim(0))
		for head, rows := range got {
			for query, row := range rows {
				require.Equal(t, want.Row(head*len(rows) + query)[:query+1], row)
			}
		}
	}
}

func sameText(t *asked) {
	g, err := train.OpenGenerator(t.dir, train.Sampling{Prompt: text, Tokens: 12, TopP: 1}, nil)
	require.NoError(t, err)
	var want strings.Builder
	require.NoError(t, g.Run(t.Context(), t.binary, &want, io.Discard))
	ids := ask[inside.Written](t, inside.Question{Ask: inside.Write, Tokens: 12, TopP: 1, Stop: -1}).IDs
	c, err := run.Open(t.dir)
	require.NoError(t, err)
	tokens, err := tokenizer.Open(t.dir, c.VocabSize)
	require.NoError(t, err)
	got, err := tokens.Decode(ids)
	require.NoError(t, err)
	require.Equal(t, want.String(), text+got+"\n")
}

// look asks about one token, at temperature 1.
func look(t *asked, at int, off ...string) inside.Place {
	t.Helper()
	return ask[inside.Place](t, inside.Question{Ask: inside.Look, At: at, Temperature: 1, TopP: 1, Off: off})
}

func lastStage(t *asked) {
	r := ask[inside.Reading](t, inside.Question{Ask: inside.Read})
	for at := 1; at <= len(t.ids); at++ {
		p := look(t, at)
		last := p.Stages[len(p.Stages)-1]
		require.Equal(t, inside.FFN(2), last.Part)
		for i, g := range last.Top {
			require.Equal(t, p.Expected[i].ID, g.ID)
			require.InDelta(t, p.Expected[i].P, g.P, 1e-6)
		}
		if at == len(t.ids) {
			require.Nil(t, p.Actual)
			continue
		}
		require.Equal(t, t.ids[at], p.Actual.ID)
		require.InDelta(t, r.Surprise[at-1], last.Surprise, 1e-5)
		require.Equal(t, r.Surprise[at-1], p.Actual.Surprise)
		require.NotEqual(t, last.Surprise, p.Stages[0].Surprise)
	}
}

// sizes returns the sizes of a place by part.
func sizes(p inside.Place) map[string]float64 {
	all := map[string]float64{}
	for _, s := range p.Sizes {
		all[s.Part] = s.Norm
	}
	return all
}

func contributions(t *asked) {
	whole := sizes(look(t, 5))
	require.Len(t, whole, 1+2*(2+2))
	for _, norm := range whole {
		require.Positive(t, norm)
	}
	one := sizes(look(t, 5, inside.Head(1, 2)))
	require.InDelta(t, whole[inside.Head(1, 1)], one[inside.Attn(1)], 1e-4, "a head that is alone is all of the attention")
	require.Zero(t, one[inside.Head(1, 2)])
	require.Zero(t, sizes(look(t, 5, inside.FFN(2)))[inside.FFN(2)])
	none := sizes(look(t, 5, inside.Layer(2)))
	require.Zero(t, none[inside.Attn(2)])
	require.Zero(t, none[inside.FFN(2)])
	require.InDelta(t, whole[inside.Attn(1)], none[inside.Attn(1)], 1e-6, "what comes before is not changed")

	nothing := look(t, 5, inside.Layer(1), inside.Layer(2))
	for _, s := range nothing.Stages {
		require.InDelta(t, nothing.Stages[0].Surprise, s.Surprise, 1e-6, "only the embedding is left")
	}
}

// withoutParts makes models that lack a part, without the program.
func withoutParts(t *asked) {
	file := filepath.Join(t.TempDir(), "model.safetensors")
	require.NoError(t, train.Export(t.Context(), t.binary, t.dir, file, io.Discard))
	columns := func(w *tensor.Tensor, from, to int) {
		for row := range w.Rows() {
			clear(w.Row(row)[from:to])
		}
	}
	const output, down = "layers.1.attn.output_proj.weight", "layers.1.ffn.w2.weight"
	all := ask[[]inside.Loss](t, inside.Question{Ask: inside.Without, Layer: 2})
	require.Len(t, all, 5)
	for i, change := range []func(state map[string]*tensor.Tensor){
		func(s map[string]*tensor.Tensor) { columns(s[output], 0, 8) },
		func(s map[string]*tensor.Tensor) { columns(s[output], 8, 16) },
		func(s map[string]*tensor.Tensor) { clear(s[output].Data) },
		func(s map[string]*tensor.Tensor) { clear(s[down].Data) },
		func(s map[string]*tensor.Tensor) { clear(s[output].Data); clear(s[down].Data) },
	} {
		part := inside.Parts(2, 2)[i]
		state, err := weights.Read(file)
		require.NoError(t, err)
		change(state)
		changed, dir := filepath.Join(t.TempDir(), "changed.safetensors"), filepath.Join(t.TempDir(), "changed")
		require.NoError(t, weights.Write(changed, state))
		_, err = train.ImportState(changed, t.dir, dir)
		require.NoError(t, err)
		require.Equal(t, part, all[i].Part)
		require.InDelta(t, evaluated(t, dir), all[i].Loss, 1e-6, part)
		require.Equal(t, all[i].Reading, ask[inside.Reading](t, inside.Question{Ask: inside.Read, Off: []string{part}}), part)
	}
}

func snapshots(t *asked) {
	steps, err := run.Snapshots(t.dir)
	require.NoError(t, err)
	require.Equal(t, []int{0, 15, 30, 45, 60}, steps)
	now := ask[inside.Reading](t, inside.Question{Ask: inside.Read})
	var losses []float64
	for _, step := range steps {
		losses = append(losses, ask[inside.Reading](t, inside.Question{Ask: inside.Read, Snapshot: &step}).Loss)
	}
	require.Equal(t, now.Loss, losses[4])
	for i := range losses[1:] {
		require.NotEqual(t, losses[i], losses[i+1])
	}
	require.Equal(t, now, ask[inside.Reading](t, inside.Question{Ask: inside.Read}), "and back")
}

func refuses(t *asked) {
	nowhere := 7
	for want, q := range map[string]inside.Question{
		"the text has 0 tokens; want 1 to 8":    {Ask: inside.Read},
		"the text has 9 tokens; want 1 to 8":    {Ask: inside.Read, IDs: make([]int, 9)},
		"there is no layer 3; want 1 to 2":      {Ask: inside.Attention, IDs: t.ids, Layer: 3},
		"token 9 was not foretold; want 1 to 8": {Ask: inside.Look, IDs: t.ids, At: 9, TopP: 1},
		"the temperature is -1":                 {Ask: inside.Look, IDs: t.ids, At: 1, Temperature: -1, TopP: 1},
		"top-p 1.5":                             {Ask: inside.Write, IDs: t.ids, TopP: 1.5},
		`the model has no part "layer1.head3"`:  {Ask: inside.Read, IDs: t.ids, Off: []string{"layer1.head3"}},
		"step-0000007.safetensors":              {Ask: inside.Read, IDs: t.ids, Snapshot: &nowhere},
		`there is no question "sing"`:           {Ask: "sing", IDs: t.ids},
		"999":                                   {Ask: inside.Read, IDs: []int{1, 999}},
	} {
		_, err := t.c.Ask(q)
		var refused *train.RefusedError
		require.ErrorAs(t, err, &refused, want)
		require.ErrorContains(t, err, want)
	}
}

func stepByStep(t *asked) {
	q := inside.Question{Ask: inside.Write, Tokens: 6, Temperature: 1, TopP: 0.9, Stop: -1, Seed: 4}
	all := ask[inside.Written](t, q)
	require.Len(t, all.IDs, 6)
	require.False(t, all.Ended)
	q.Tokens, q.IDs = 1, t.ids
	for i := range all.IDs {
		next := ask[inside.Written](t, q)
		require.Equal(t, all.IDs[i:i+1], next.IDs)
		require.InDelta(t, all.Surprise[i], next.Surprise[0], 1e-5)
		q.IDs = append(q.IDs[:len(q.IDs):len(q.IDs)], next.IDs...)
		if len(q.IDs) > settings().Model.ContextLength {
			continue // what was read has left the context
		}
		read := ask[inside.Reading](t, inside.Question{Ask: inside.Read, IDs: q.IDs})
		require.InDelta(t, read.Surprise[len(read.Surprise)-1], next.Surprise[0], 1e-5)
	}
	q.IDs, q.Stop = t.ids, all.IDs[0]
	require.Equal(t, inside.Written{IDs: []int{}, Surprise: []float64{}, Ended: true}, ask[inside.Written](t, q))
}

func unchanged(t *asked) {
	before := ask[inside.Reading](t, inside.Question{Ask: inside.Read})
	look(t, 3, inside.Head(1, 1))
	ask[[]inside.Loss](t, inside.Question{Ask: inside.Without, Layer: 1})
	require.Equal(t, before, ask[inside.Reading](t, inside.Question{Ask: inside.Read}))
}

func nucleus(t *asked) {
	wide := look(t, 4)
	c, err := run.Open(t.dir)
	require.NoError(t, err)
	require.Equal(t, c.VocabSize, wide.Nucleus)
	sum := wide.Rest
	for _, g := range wide.Expected {
		sum += g.P
	}
	require.InDelta(t, 1, sum, 1e-6)
	narrow := ask[inside.Place](t, inside.Question{Ask: inside.Look, At: 4, Temperature: 1, TopP: wide.Expected[0].P / 2})
	require.Equal(t, 1, narrow.Nucleus)
	require.Equal(t, 1.0, narrow.Expected[0].P)
	cold := ask[inside.Place](t, inside.Question{Ask: inside.Look, At: 4, TopP: 1})
	require.Equal(t, narrow.Expected, cold.Expected)
	require.Equal(t, wide.Actual.Surprise, cold.Actual.Surprise)
}

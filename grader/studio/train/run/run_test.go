package run

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamedSettingsAreValid(t *testing.T) {
	for _, name := range []string{"tiny", "small", "base"} {
		s, err := Load(name)
		require.NoError(t, err)
		require.NoError(t, s.Validate(), name)
	}
	s, _ := Named("small")
	require.Equal(t, Model{ContextLength: 64, DModel: 128, NumLayers: 4, NumHeads: 4, DFF: 344, RopeTheta: 10000}, s.Model)
	require.Equal(t, 12*2000, s.Recipe.Batch*s.Recipe.Steps)
}

func TestLoadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my.json")
	for name, c := range map[string]struct{ json, want string }{
		"empty object":     {`{}`, ""},
		"one field":        {`{"model": {"d_model": 64}}`, ""},
		"not JSON":         {`d_model = 64`, "not the JSON of a configuration"},
		"breaks off":       {`{"model": {`, "not the JSON of a configuration"},
		"goes on":          {`{} {}`, "goes on after its JSON object"},
		"unknown field":    {`{"model": {"d_mode": 64}}`, `there is no field "d_mode"`},
		"in no section":    {`{"d_model": 64}`, `there is no field "d_model"`},
		"a fraction":       {`{"model": {"d_model": 64.5}}`, "d_model is a number 64.5; want a whole number"},
		"a text":           {`{"recipe": {"lr_max": "1e-3"}}`, "lr_max is a string; want a number"},
		"not a section":    {`{"model": 3}`, "model is a number; want an object"},
		"zero":             {`{"model": {"num_layers": 0}}`, "num_layers is 0; want at least 1"},
		"negative":         {`{"recipe": {"warmup": -1}}`, "warmup is -1; want at least 0"},
		"enormous":         {`{"recipe": {"batch": 99999999999}}`, "batch is 99999999999; want at least 1 and at most"},
		"heads":            {`{"model": {"d_model": 130}}`, "d_model is 130 and num_heads is 4; d_model must be a multiple of 8"},
		"odd heads":        {`{"model": {"d_model": 12}}`, "d_model must be a multiple of 8"},
		"rising":           {`{"recipe": {"lr_max": 0.001, "lr_min": 0.01}}`, "lr_min is 0.01; want a number from 0 to 0.001"},
		"beta of one":      {`{"recipe": {"beta1": 1}}`, "beta1 is 1; want a number from 0 to 0.999"},
		"precision":        {`{"recipe": {"precision": "fp8"}}`, `precision is "fp8"; want "bf16", or nothing for float32`},
		"theta":            {`{"model": {"rope_theta": 0}}`, "rope_theta is 0; want at least 1"},
		"all that's wrong": {`{"model": {"d_ff": 0}, "recipe": {"steps": 0}}`, "d_ff is 0; want at least 1 and at most 2147483647\nsteps is 0"},
	} {
		require.NoError(t, os.WriteFile(path, []byte(c.json), 0o600))
		_, err := Load(path)
		if c.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, path+": ", name)
		require.ErrorContains(t, err, c.want, name)
	}
	_, err := Load("huge")
	require.ErrorContains(t, err, `there is no configuration "huge"; want tiny, small, base or the path of a JSON file`)
}

func tiny() Settings {
	s, _ := Named("tiny")
	return s
}

func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	text := strings.Repeat("ab\n", 334) // 1002 characters, of which 901 are learnt from
	require.NoError(t, Create(dir, Text{Corpus: "my.txt", Text: text}, 7, tiny()))
	c, err := Open(dir)
	require.NoError(t, err)
	require.Len(t, c.Data, 3)
	require.NoError(t, c.CheckData(dir))
	c.Data = nil
	require.Equal(t, Config{Schema: Schema, Corpus: "my.txt", Seed: 7, VocabSize: 3, Settings: tiny()}, c)
	train, err := os.ReadFile(filepath.Join(dir, TrainFile))
	require.NoError(t, err)
	require.Len(t, train, 2*901)
	require.Equal(t, []byte{1, 0, 2, 0, 0, 0, 1, 0}, train[:8], "a, b, line end, a")
	validation, err := os.ReadFile(filepath.Join(dir, ValidationFile))
	require.NoError(t, err)
	require.Len(t, validation, 2*101)

	var held *HeldError
	require.ErrorAs(t, Create(dir, Text{Corpus: "my.txt", Text: text}, 7, tiny()), &held)
	require.ErrorContains(t, held, "holds a run already; continue it with --resume "+dir)

	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "thesis.tex"), nil, 0o600))
	require.ErrorContains(t, Create(other, Text{Corpus: "my.txt", Text: text}, 7, tiny()), "is there already, and holds no run; name a new folder")
	require.FileExists(t, filepath.Join(other, "thesis.tex"))
	require.ErrorContains(t, Create(filepath.Join(other, "b"), Text{Corpus: "my.txt", Text: text[:600]}, 7, tiny()),
		"the corpus my.txt is too short: validation.bin would hold 60 tokens, and a context of 64 needs more")
	require.NoDirExists(t, filepath.Join(other, "b"), "nothing half-made stays")
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(filepath.Join(dir, "nowhere"))
	require.ErrorContains(t, err, "there is no folder")
	file := filepath.Join(dir, "model.txt")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = Open(file)
	require.ErrorContains(t, err, "model.txt is no folder; want one that holds a model")
	_, err = Open(dir)
	require.ErrorContains(t, err, "holds no run: config.json is missing")
	good := Config{Schema: Schema, Corpus: "x", VocabSize: 3, Settings: tiny()}
	for name, c := range map[string]struct {
		edit func(*Config)
		want string
	}{
		"another version": {func(c *Config) { c.Schema = "stubformer/run/v9" }, `its schema is "stubformer/run/v9"`},
		"no vocabulary":   {func(c *Config) { c.VocabSize = 0 }, "vocab_size is 0"},
		"no model":        {func(c *Config) { c.Model = Model{} }, "d_model is 0"},
		"no recipe":       {func(c *Config) { c.Recipe = Recipe{} }, "batch is 0"},
		"imported":        {func(c *Config) { c.Corpus, c.Recipe = "", Recipe{} }, ""},
	} {
		edited := good
		c.edit(&edited)
		require.NoError(t, edited.Write(dir))
		_, err := Open(dir)
		if c.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.want, name)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ConfigFile), []byte(`{"name": "another program's"}`), 0o600))
	_, err = Open(dir)
	require.ErrorContains(t, err, `config.json: there is no field "name"`)
}

func TestLog(t *testing.T) {
	dir := t.TempDir()
	steps := []Step{{Step: 0, ValidationLoss: new(4.5)}, {Step: 1, Loss: 1.0 / 3, LR: 1e-3, GradNorm: 2, Sample: "a\nb"}, {Step: 2, Loss: 3}}
	log, err := OpenLog(dir, -1)
	require.NoError(t, err)
	for _, s := range steps {
		require.NoError(t, log.Append(s))
	}
	require.NoError(t, log.Close())
	got, err := ReadLog(dir)
	require.NoError(t, err)
	require.Equal(t, steps, got)

	path := filepath.Join(dir, LogFile)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := range len(whole) { // killed at any moment
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		got, err := ReadLog(dir)
		require.NoError(t, err)
		lines := bytes.Count(whole[:cut], []byte("\n"))
		require.Equal(t, steps[:lines], append([]Step{}, got...))

		log, err := OpenLog(dir, lines-1)
		require.NoError(t, err)
		for _, s := range steps[lines:] {
			require.NoError(t, log.Append(s))
		}
		require.NoError(t, log.Close())
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(whole), string(again), "what was broken off is dropped and written again")
	}
}

func TestOpenLog(t *testing.T) {
	const zero, one, two, bad = "{\"step\":0,\"loss\":4}\n", "{\"step\":1,\"loss\":3}\n", "{\"step\":2,\"loss\":2}\n", "{\"step\":1,\"lo\n"
	for name, c := range map[string]struct {
		log  string
		step int
		want string
	}{
		"no checkpoint":                    {zero + one, -1, ""},
		"a checkpoint of step 0":           {zero + one, 0, zero},
		"later steps":                      {zero + one + two, 1, zero + one},
		"nothing later":                    {zero + one + two, 2, zero + one + two},
		"a line in the middle":             {zero + bad + two, 2, zero + bad + two},
		"a line in the middle, cut before": {zero + bad + two, 1, zero},
		"no JSON, and other JSON":          {zero + "\x00\x00\nnull\n{}\n" + two, 2, zero + "\x00\x00\nnull\n{}\n" + two},
		"a line that broke off":            {zero + one + "{\"step\":2", 2, zero + one},
		"empty":                            {"", 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, LogFile), []byte(c.log), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, PendingFile), nil, 0o600))
			log, err := OpenLog(dir, c.step)
			require.NoError(t, err)
			require.NoFileExists(t, filepath.Join(dir, PendingFile), "a checkpoint of steps that are dropped")
			require.NoError(t, log.Append(Step{Step: 9}))
			require.NoError(t, log.Close())
			after, err := os.ReadFile(filepath.Join(dir, LogFile))
			require.NoError(t, err)
			require.Equal(t, c.want+"{\"step\":9}\n", string(after))
		})
	}
}

func TestCommit(t *testing.T) {
	dir := t.TempDir()
	log, err := OpenLog(dir, -1)
	require.NoError(t, err)
	defer log.Close()
	require.ErrorIs(t, log.Commit(), os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(dir, CheckpointFile), []byte("old"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, PendingFile), []byte("new"), 0o600))
	require.NoError(t, log.Commit())
	data, err := os.ReadFile(filepath.Join(dir, CheckpointFile))
	require.NoError(t, err)
	require.Equal(t, "new", string(data))
	require.NoFileExists(t, filepath.Join(dir, PendingFile))
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(dir)
	require.NoError(t, err)
	_, err = Lock(dir)
	require.ErrorContains(t, err, "another program is training in "+dir)
	require.NoError(t, unlock())
	unlock, err = Lock(dir)
	require.NoError(t, err)
	require.NoError(t, unlock())
}

func TestEventsAreOneLine(t *testing.T) {
	data, err := json.Marshal(Event{Step: &Step{Step: 3, Sample: "a\nb"}})
	require.NoError(t, err)
	require.Equal(t, `{"step":{"step":3,"sample":"a\nb"}}`, string(data))
}

package hf

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// Tokenizer is the part of tokenizer.json that says which tokens a text has: the text
// goes through the Normalizer and is cut by the PreTokenizer, the Model makes tokens of
// every part, and the PostProcessor puts others around them. Added tokens are found
// before all that.
type Tokenizer struct {
	Normalizer    *Stage  `json:"normalizer"`
	PreTokenizer  *Stage  `json:"pre_tokenizer"`
	PostProcessor *Stage  `json:"post_processor"`
	Added         []Added `json:"added_tokens"`
	Model         BPE     `json:"model"`
}

// Added is a token that was added to those of the Model.
type Added struct {
	ID      int    `json:"id"`
	Content string `json:"content"`
	Left    bool   `json:"lstrip"` // takes the spaces before it
	Right   bool   `json:"rstrip"`
	Word    bool   `json:"single_word"`
}

// Stage is one of a tokenizer's stages, or one of those that it consists of. The fields
// that its Type does not have are nil.
type Stage struct {
	Type  string  `json:"type"`
	Parts []Stage `json:"normalizers"` // of a Sequence

	Prepend     string          `json:"prepend"`
	Pattern     json.RawMessage `json:"pattern"`
	Content     string          `json:"content"`
	Replacement string          `json:"replacement"`
	Scheme      string          `json:"prepend_scheme"`
	Split       *bool           `json:"split"`
	PrefixSpace *bool           `json:"add_prefix_space"`
	Regex       *bool           `json:"use_regex"`
	Single      []struct {
		Special *struct {
			ID string `json:"id"`
		} `json:"SpecialToken"` // nil: the text itself
	} `json:"single"` // of a TemplateProcessing
}

// Before returns the tokens that a TemplateProcessing puts before a text, and whether it
// puts none behind it. Another stage puts none anywhere, or is not known.
func (s *Stage) Before() (tokens []string, ok bool) {
	if s == nil || s.Type == "ByteLevel" {
		return nil, true
	}
	if s.Type != "TemplateProcessing" || len(s.Single) == 0 || s.Single[len(s.Single)-1].Special != nil {
		return nil, false
	}
	for _, part := range s.Single[:len(s.Single)-1] {
		if part.Special == nil {
			return nil, false
		}
		tokens = append(tokens, part.Special.ID)
	}
	return tokens, true
}

// Name returns the type of a stage, and "none" for one that is not there.
func (s *Stage) Name() string {
	if s == nil {
		return "none"
	}
	return s.Type
}

// BPE is a model of byte-pair encoding.
type BPE struct {
	Type         string         `json:"type"`
	Vocab        map[string]int `json:"vocab"`
	Merges       []Merge        `json:"merges"` // the first comes first
	ByteFallback bool           `json:"byte_fallback"`
	IgnoreMerges bool           `json:"ignore_merges"` // for a part that is a token
	Prefix       string         `json:"continuing_subword_prefix"`
	Suffix       string         `json:"end_of_word_suffix"`
}

// bpe is the Type of a BPE.
const bpe = "BPE"

// UnmarshalJSON refuses a model of another type, whose fields may have another form. The
// oldest files name no type; only a BPE has merges.
func (b *BPE) UnmarshalJSON(data []byte) error {
	var kind struct {
		Type   string          `json:"type"`
		Merges json.RawMessage `json:"merges"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return err
	}
	if kind.Type != bpe && (kind.Type != "" || kind.Merges == nil) {
		return lang.Errorf("the tokenizer is of the type %q; only %s is read", kind.Type, lang.Raw(bpe))
	}
	type plain BPE // without this method
	return json.Unmarshal(data, (*plain)(b))
}

// Merge is two tokens that become one.
type Merge [2]string

// UnmarshalJSON reads ["a", "b"], or "a b" as older files have it.
func (m *Merge) UnmarshalJSON(data []byte) error {
	var pair []string
	var text string
	if json.Unmarshal(data, &text) == nil {
		pair = strings.Split(text, " ")
	} else if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return lang.Errorf("the merge %s is not one of two tokens", string(data))
	}
	*m = Merge(pair)
	return nil
}

// Names returns the tokens in the order of their ids, with those that are added.
func (t Tokenizer) Names() ([]string, error) {
	ids := map[int]string{}
	put := func(id int, name string) error {
		if other, twice := ids[id]; twice && other != name {
			return lang.Errorf("the tokens %q and %q both have the id %d", min(name, other), max(name, other), id)
		}
		ids[id] = name
		return nil
	}
	for name, id := range t.Model.Vocab {
		if err := put(id, name); err != nil {
			return nil, err
		}
	}
	for _, added := range t.Added {
		if id, known := t.Model.Vocab[added.Content]; known && id != added.ID {
			return nil, lang.Errorf("the token %q has the ids %d and %d", added.Content, id, added.ID)
		}
		if err := put(added.ID, added.Content); err != nil {
			return nil, err
		}
	}
	names := slices.Repeat([]string{""}, len(ids))
	for id := range names {
		name, ok := ids[id]
		if !ok {
			return nil, lang.Errorf("the tokenizer has %d tokens, and none with the id %d", len(names), id)
		}
		names[id] = name
	}
	return names, nil
}

// ends is the one token of GPT-2 that is no part of a text.
const ends = "<|endoftext|>"

// readTokenizer reads the tokenizer of a folder, or what stood there before that file was.
func readTokenizer(dir fs.FS) (t Tokenizer, err error) {
	_, err = fs.Stat(dir, TokenizerFile)
	if _, old := fs.Stat(dir, vocabFile); errors.Is(err, fs.ErrNotExist) && old == nil {
		return readPublished(dir)
	}
	return t, readJSON(dir, TokenizerFile, &t)
}

// readPublished reads a tokenizer in the form in which GPT-2's was published: the ids of
// the tokens, and the merges, each in a line. How texts are cut is not in the files.
func readPublished(dir fs.FS) (t Tokenizer, err error) {
	t.Model.Type = bpe
	if err := readJSON(dir, vocabFile, &t.Model.Vocab); err != nil {
		return t, err
	}
	merges, err := fs.ReadFile(dir, mergesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return t, lang.Errorf("%s is there, and %s is missing; or want %s", vocabFile, mergesFile, TokenizerFile)
	}
	if err != nil {
		return t, err
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(merges), "\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if i == 0 && strings.HasPrefix(line, "#version") {
			continue
		}
		pair := strings.Split(line, " ")
		if len(pair) != 2 {
			return t, lang.Errorf("%s: line %d is %q; want two tokens with a space between", mergesFile, i+1, line)
		}
		t.Model.Merges = append(t.Model.Merges, Merge(pair))
	}
	no := false
	t.PreTokenizer = &Stage{Type: "ByteLevel", PrefixSpace: &no}
	if id, ok := t.Model.Vocab[ends]; ok {
		t.Added = append(t.Added, Added{ID: id, Content: ends})
	}
	return t, nil
}

package llama

import (
	"encoding/json"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/hf"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// hfTokens returns the tokenizer of a folder: of bytes, as GPT-2's and that of step 14, or
// of SentencePiece's pieces, as that of llama2.c.
func hfTokens(t hf.Tokenizer) (tokens, error) {
	if t.Model.IgnoreMerges {
		return tokens{}, lang.Errorf("ignore_merges is true; here tokens are made by merges alone")
	}
	if t.Model.Prefix != "" || t.Model.Suffix != "" {
		return tokens{}, lang.Errorf("tokens have the prefix %q or the suffix %q within a word; here they have none",
			t.Model.Prefix, t.Model.Suffix)
	}
	for _, added := range t.Added {
		if added.Left || added.Right || added.Word {
			return tokens{}, lang.Errorf("the added token %q takes spaces with it, or stands as a word alone; "+
				"here tokens do neither", added.Content)
		}
	}
	names, err := t.Names()
	if err != nil {
		return tokens{}, err
	}
	if t.Model.ByteFallback {
		return hfPieces(t, names)
	}
	return hfLearned(t, names)
}

// hfLearned returns a tokenizer of GPT-2's kind.
func hfLearned(t hf.Tokenizer, names []string) (tokens, error) {
	cut := t.PreTokenizer
	switch {
	case t.Normalizer != nil:
		return tokens{}, lang.Errorf("normalizer is %s; step 14 takes texts as they are", lang.Raw(t.Normalizer.Name()))
	case cut.Name() != byteLevel || is(cut.Regex, false):
		return tokens{}, lang.Errorf("pre_tokenizer is %s; step 14 cuts texts as %s does, with use_regex",
			lang.Raw(cut.Name()), lang.Raw(byteLevel))
	case !is(cut.PrefixSpace, false): // true unless the file says other
		return tokens{}, lang.Errorf("pre_tokenizer puts a space before a text (add_prefix_space); step 14 does not")
	}
	if around, ok := t.PostProcessor.Before(); !ok || len(around) > 0 {
		return tokens{}, lang.Errorf("post_processor is %s, which puts tokens around a text; step 14 does not",
			lang.Raw(t.PostProcessor.Name()))
	}
	special := map[string]bool{}
	for _, added := range t.Added {
		special[added.Content] = true
		if !tokenizer.IsSpecial(added.Content) {
			return tokens{}, lang.Errorf("the added token is %q; step 14 writes such a token as <|name|>",
				added.Content)
		}
	}
	for _, name := range names {
		if tokenizer.IsSpecial(name) && !special[name] {
			return tokens{}, lang.Errorf("the token %q is none of added_tokens; to step 14 "+
				"whatever is written like that is special", name)
		}
	}
	out := tokens{kind: asLearned, names: names}
	for _, m := range t.Model.Merges {
		if !makes(t, m) {
			return tokens{}, noToken(m)
		}
		out.merges = append(out.merges, m[0]+" "+m[1])
	}
	return out, nil
}

// byteLevel is the stage that cuts a text by GPT-2's pattern and writes bytes as characters.
const byteLevel = "ByteLevel"

// hfPieces returns a tokenizer of SentencePiece's kind. A score says of a token when two
// others become it, and a merge of these two; so the merges of a token must stand
// together, and there must be one for every two tokens that it can be made of. Of two
// places in which the same token can be made, the left one comes first here and in
// SentencePiece, and in tokenizers the one whose merge stands first.
func hfPieces(t hf.Tokenizer, names []string) (tokens, error) {
	if err := llamaStages(t); err != nil {
		return tokens{}, err
	}
	for _, added := range t.Added {
		if _, kind := pieceName(added.ID, ""); kind == normal || kind == oneByte {
			return tokens{}, lang.Errorf("the added token is %q; llama2.c's tokenizer has none but %s",
				added.Content, "<unk>, <s>, </s>")
		}
	}
	out := tokens{kind: asPieces, names: names, scores: make([]float32, len(names))}
	listed, last := map[hf.Merge]bool{}, -1
	for rank, m := range t.Model.Merges {
		if !makes(t, m) {
			return tokens{}, noToken(m)
		}
		id := t.Model.Vocab[m[0]+m[1]]
		if out.scores[id] == 0 {
			out.scores[id] = -1 - float32(rank)
		} else if id != last {
			return tokens{}, lang.Errorf("the merges that make %q do not stand together, as SentencePiece's do",
				m[0]+m[1])
		}
		listed[m], last = true, id
	}
	for _, name := range names {
		for cut := range name {
			m := hf.Merge{name[:cut], name[cut:]}
			if cut > 0 && makes(t, m) && !listed[m] {
				return tokens{}, lang.Errorf("the tokens %q and %q make %q, but there is no merge of them, "+
					"as SentencePiece has", m[0], m[1], name)
			}
		}
	}
	return out, nil
}

// makes reports whether a merge makes a token of two tokens.
func makes(t hf.Tokenizer, m hf.Merge) bool {
	for _, name := range []string{m[0], m[1], m[0] + m[1]} {
		if _, ok := t.Model.Vocab[name]; !ok {
			return false
		}
	}
	return true
}

func noToken(m hf.Merge) error {
	return lang.Errorf("the merge of %q and %q does not make a token of two tokens", m[0], m[1])
}

// llamaStages refuses stages that make other tokens of a text than SentencePiece for
// Llama does: a space comes first, "▁" stands for a space, and <s> begins. The space is put
// there by a normalizer or, in newer files, by Metaspace, which a text that begins with a
// space itself gets no other from.
func llamaStages(t hf.Tokenizer) error {
	before, cut := t.Normalizer, t.PreTokenizer
	old := cut == nil && before.Name() == "Sequence" && len(before.Parts) == 2 &&
		before.Parts[0].Type == "Prepend" && before.Parts[0].Prepend == space &&
		before.Parts[1].Type == "Replace" && before.Parts[1].Content == space && literal(before.Parts[1].Pattern) == " "
	newer := before == nil && cut.Name() == "Metaspace" && cut.Replacement == space && is(cut.Split, false)
	if newer && (cut.Scheme == "never" || cut.Scheme == "" && is(cut.PrefixSpace, false)) {
		return noSpace()
	}
	if !old && !newer {
		return lang.Errorf("normalizer is %s and pre_tokenizer is %s; want those of Llama's tokenizer: "+
			"Sequence of Prepend and Replace and none, or none and Metaspace without split",
			lang.Raw(before.Name()), lang.Raw(cut.Name()))
	}
	if first, ok := t.PostProcessor.Before(); !ok || len(first) != 1 || first[0] != "<s>" {
		return lang.Errorf("post_processor is %s; want TemplateProcessing that puts <s> before a text, "+
			"as llama2.c does (add_bos_token)", lang.Raw(t.PostProcessor.Name()))
	}
	return nil
}

// literal returns the text of a pattern that is one.
func literal(pattern json.RawMessage) string {
	var p struct{ String string }
	if json.Unmarshal(pattern, &p) != nil {
		return ""
	}
	return p.String
}

// is reports whether a field that may be missing is there and has a value.
func is(field *bool, value bool) bool { return field != nil && *field == value }

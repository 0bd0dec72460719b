//go:build mistake

package bpe

// comments-skipped: every line of the merges that begins with # is skipped
//
// Why: "# #" is a merge: ## stands in many texts. Only the first line of the file can be a version.
//
// Hint: Skip a line that begins with "#version", if it is the first.
func readMerges() {
	if right {
		if line == "" || i == 0 && strings.HasPrefix(line, "#version") {
			continue
		}
	} else {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
	}
}

// first-line-skipped: the first line of the merges is skipped, whatever it says
//
// Why: A file without a version begins with its most important merge.
//
// Hint: Skip it only if it begins with "#version".
func readMerges() {
	if right {
		if line == "" || i == 0 && strings.HasPrefix(line, "#version") {
			continue
		}
	} else {
		if line == "" || i == 0 {
			continue
		}
	}
}

// version-read: the version is read as a pair
//
// Why: "#version: 0.2" looks like one, with a space between its parts.
//
// Hint: Skip a line that begins with "#version", if it is the first.
func readMerges() {
	if right {
		if line == "" || i == 0 && strings.HasPrefix(line, "#version") {
			continue
		}
	} else {
		if line == "" {
			continue
		}
	}
}

// unknown-lines-skipped: lines that are no pair of tokens are skipped
//
// Why: Every rank behind such a line is another, and nobody is told.
//
// Hint: Return an error with the number of the line.
func readMerges() {
	if right {
		if !known || !both {
			return nil, fmt.Errorf("bpe: line %d of the merges is %q; want two tokens of the vocabulary with a space between them", i+1, line)
		}
	} else {
		if !known || !both {
			continue
		}
	}
}

// printed-as-bytes: the characters of a token are taken for its bytes
//
// Why: Ġ is no character of the text: it stands for the byte 32. Its own UTF-8 has two bytes.
//
// Hint: Look up the byte that each character stands for.
func tokensOf() {
	if right {
		if isSpecial[name] {
			tokens[id] = []byte(name)
			continue
		}
	} else {
		plain := true
		for _, r := range name {
			plain = plain && r < 256
		}
		if isSpecial[name] || !plain {
			tokens[id] = []byte(name)
			continue
		}
	}
}

// table-off: the byte 173 is taken for one that prints
//
// Why: U+00AD is a soft hyphen, which most programs do not show. GPT-2's table leaves it out, so 173 has
// the character 323, and every file would be off by it.
//
// Hint: The bytes that print are 33 to 126, 161 to 172 and 174 to 255.
func printable() {
	if right {
		if '!' <= b && b <= '~' || '¡' <= b && b <= '¬' || '®' <= b {
			chars[b] = b
		} else {
			chars[b] = next
			next++
		}
	} else {
		if '!' <= b && b <= '~' || '¡' <= b {
			chars[b] = b
		} else {
			chars[b] = next
			next++
		}
	}
}

// table-by-256: a byte that does not print gets the character of 256 and itself
//
// Why: It would do as well, but GPT-2's table counts: the byte 127 is the 34th that does not print, and
// has the character 289.
//
// Hint: Go through the bytes in order and count those that do not print.
func printable() {
	if right {
		if '!' <= b && b <= '~' || '¡' <= b && b <= '¬' || '®' <= b {
			chars[b] = b
		} else {
			chars[b] = next
			next++
		}
	} else {
		_ = next
		if '!' <= b && b <= '~' || '¡' <= b && b <= '¬' || '®' <= b {
			chars[b] = b
		} else {
			chars[b] = 256 + b
		}
	}
}

// special-written-as-bytes: a special token is written with the characters of its bytes
//
// Why: In the vocabulary it stands as it is: whoever reads the file looks for it so.
//
// Hint: Only tokens that are no special ones are made printable.
func (*Tokenizer) names() {
	if right {
		for _, id := range t.Special {
			names[id] = string(t.Vocab[id])
		}
	} else {
	}
}

// gaps-allowed: ids with gaps are not refused
//
// Why: The id is the row of the embedding. A gap or an id that is there twice means that the file is
// damaged.
//
// Hint: The ids are 0 to one less than the number of tokens, each once.
func tokensOf() {
	if right {
		if id < 0 || id >= len(names) || tokens[id] != nil {
			return nil, fmt.Errorf("bpe: the id of %q is %d; want each of the ids 0 to %d once", name, id, len(names)-1)
		}
	} else {
		if id < 0 || id >= len(names) || tokens[id] != nil {
			continue
		}
	}
}

// special-missing-allowed: a special token that the vocabulary does not have is passed over
//
// Why: The end of a text would then be written in pieces that the model does not know.
//
// Hint: Return an error that names it.
func Read() {
	if right {
		if !ok {
			return nil, fmt.Errorf("bpe: the vocabulary has no special token %q", s)
		}
	} else {
		if !ok {
			continue
		}
	}
}

// pairs-reversed: the two of a merge are exchanged when they are read
//
// Why: (t, h) and (h, t) are two pairs.
//
// Hint: The left one stands first in the line.
func readMerges() {
	if right {
		pairs = append(pairs, [2]int{a, b})
	} else {
		pairs = append(pairs, [2]int{b, a})
	}
}

// escaped-as-spaces: the character of the space is written as an underscore
//
// Why: Some other tokenizers use U+2581; GPT-2's table has Ġ, U+0120, because 32 is the 33rd byte that
// does not print.
//
// Hint: 256 + 32.
func printable() {
	if right {
		return chars
	} else {
		chars[' '] = '▁'
		return chars
	}
}

// merges-cut-short: an error of the reader of the merges is taken for their end
//
// Why: Half a list of merges is a list of merges. Every text is then encoded otherwise than the model
// has learnt it, and nobody is told.
//
// Hint: Only io.EOF is the end. A bufio.Scanner keeps other errors for Err.
func readMerges() {
	if right {
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
	} else {
		data, _ := io.ReadAll(r)
	}
}

// write-errors-swallowed: an error of the writer of the merges is not returned
//
// Why: A disk that is full leaves half a file, and the caller believes that all is there.
//
// Hint: Return the error of every Write; of a bufio.Writer that of Flush.
func (*Tokenizer) Write() {
	if right {
		_, err = io.WriteString(merges, lines.String())
		return err
	} else {
		io.WriteString(merges, lines.String())
		return nil
	}
}

// write-errors-swallowed/vocabulary: an error of the writer of the vocabulary is not returned
func (*Tokenizer) Write() {
	if right {
		if _, err := fmt.Fprintf(vocab, "{%s}", strings.TrimPrefix(object.String(), ", ")); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(vocab, "{%s}", strings.TrimPrefix(object.String(), ", "))
	}
}

// training-cut-short: Train learns from what came before the reader failed
//
// Why: A vocabulary of half a text is a vocabulary. It is another one, and nobody is told.
//
// Hint: Return the reader's error.
func Train() {
	if right {
		if err := l.count(r, &cutOut); err != nil {
			return nil, err
		}
	} else {
		l.count(r, &cutOut)
	}
}

// names-quoted-as-go: names are quoted as in Go's source, with %q
//
// Why: JSON has fewer escapes than Go: in it \x00, \a and \U0001f642 are errors, and the file can no
// longer be read.
//
// Hint: Use json.Marshal, which quotes a string as JSON does.
func (*Tokenizer) Write() {
	if right {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&object, ", %s: %d", key, id)
	} else {
		fmt.Fprintf(&object, ", %q: %d", name, id)
	}
}

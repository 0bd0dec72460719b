//go:build mistake

package bpe

// no-look-ahead: a run of spaces takes its last space too, where text follows
//
// Why: The space before a word belongs to it: " the" after two spaces is then the same token as
// after one. Without the look-ahead, indented text is cut in another way than all other text.
//
// Hint: \s+(?!\S): leave the last space of a run to what follows it, if that is no space and the run
// has more than one.
func PreToken() {
	if right {
		if n < len(text) && n > last {
			return n - last
		}
	} else {
		_ = last
	}
}

// look-ahead-of-one-byte: a run of spaces leaves one byte to what follows, whatever space is its last
//
// Why: Spaces such as U+00A0 and U+3000 have two and three bytes. Cut in the middle they are no
// characters any more.
//
// Hint: Leave the last character, not the last byte.
func PreToken() {
	if right {
		return n - last
	} else {
		return n - 1
	}
}

// look-ahead-at-the-end: a run of spaces at the end of the text leaves its last space too
//
// Why: (?!\S) says that no text follows. At the end nothing follows, so all of the run matches.
//
// Hint: The last space is left only if there is something behind it.
func PreToken() {
	if right {
		if n < len(text) && n > last {
			return n - last
		}
	} else {
		if n > last {
			return n - last
		}
	}
}

// space-as-lead: every space before a word belongs to it, not only U+0020
//
// Why: The pattern has a plain space before its question mark. A line end or a tab is a
// pre-token of its own.
//
// Hint: Compare with ' ', and do not ask unicode.IsSpace.
func PreToken() {
	if right {
		if len(text) > 1 && text[0] == ' ' {
			lead = 1
		}
	} else {
		if c, size := classify(text); size > 0 && size < len(text) && c == space {
			lead = size
		}
	}
}

// space-alone: the space before a word is a pre-token of its own
//
// Why: " the" is one token in GPT-2's vocabulary: the space costs nothing.
//
// Hint: ' ?' before each of the three classes: a space and the run behind it are one pre-token.
func PreToken() {
	if right {
		if len(text) > 1 && text[0] == ' ' {
			lead = 1
		}
	} else {
	}
}

// contraction-after-space: a contraction is looked for behind a space as well
//
// Why: In " 's" the space and the apostrophe match ' ?[^\s\p{L}\p{N}]+' together; the alternatives
// of the contractions have no space.
//
// Hint: Look for a contraction where the pre-token begins, and nowhere else.
func PreToken() {
	if right {
		if c, _ := classify(text[lead:]); c != space {
			n, _ := run(text[lead:], c)
			return lead + n
		}
	} else {
		if c, _ := classify(text[lead:]); c != space {
			n, _ := run(text[lead:], c)
			if k := contraction(text[lead:]); k > 0 {
				n = k
			}
			return lead + n
		}
	}
}

// contractions-missing: contractions are not looked for
//
// Why: "don't" is cut into "don" and "'t", so that "'t" is one token behind every verb.
//
// Hint: 's 't 're 've 'm 'll 'd, before anything else.
func PreToken() {
	if right {
		if n := contraction(text); n > 0 {
			return n
		}
	} else {
		_ = contraction
	}
}

// upper-case-contractions: contractions are found in upper case too
//
// Why: GPT-2's pattern has them in lower case only: "DON'T" is "DON", "'", "T". Later models match
// both; a vocabulary goes with its own pattern.
//
// Hint: Compare the bytes as they are.
func contraction() {
	if right {
		if bytes.HasPrefix(text, []byte(c)) {
			return len(c)
		}
	} else {
		if bytes.HasPrefix(bytes.ToLower(text[:min(len(text), 3)]), []byte(c)) {
			return len(c)
		}
	}
}

// some-contractions: only the contractions of one letter are found
//
// Why: "they're", "I've" and "we'll" end in contractions of two letters.
//
// Hint: Look for 're, 've and 'll as well.
func contraction() {
	if right {
		for _, c := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
			if bytes.HasPrefix(text, []byte(c)) {
				return len(c)
			}
		}
	} else {
		for _, c := range []string{"'s", "'t", "'m", "'d"} {
			if bytes.HasPrefix(text, []byte(c)) {
				return len(c)
			}
		}
	}
}

// digits-only: numbers are decimal digits only
//
// Why: \p{N} is more than \p{Nd}: ½, ² and Ⅷ are numbers without being digits.
//
// Hint: unicode.IsNumber, not unicode.IsDigit.
func classify() {
	if right {
		switch {
		case unicode.IsLetter(r):
			return letter, size
		case unicode.IsNumber(r):
			return number, size
		case unicode.IsSpace(r):
			return space, size
		}
	} else {
		switch {
		case unicode.IsLetter(r):
			return letter, size
		case unicode.IsDigit(r):
			return number, size
		case unicode.IsSpace(r):
			return space, size
		}
	}
}

// marks-are-letters: accents and vowel signs that are characters of their own count as letters
//
// Why: It would be kinder to Khmer or Hindi, whose words are cut at every vowel sign. But \p{L}
// does not hold the marks (\p{M}), and a vocabulary goes with its pattern.
//
// Hint: Use unicode.IsLetter, which is \p{L}.
func classify() {
	if right {
		switch {
		case unicode.IsLetter(r):
			return letter, size
		case unicode.IsNumber(r):
			return number, size
		case unicode.IsSpace(r):
			return space, size
		}
	} else {
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r):
			return letter, size
		case unicode.IsNumber(r):
			return number, size
		case unicode.IsSpace(r):
			return space, size
		}
	}
}

// ascii-only: only letters, digits and spaces of ASCII are known as such
//
// Why: Most texts of this world are written in other letters: é would end a word.
//
// Hint: Decode a character and ask package unicode.
func classify() {
	if right {
		switch {
		case unicode.IsLetter(r):
			return letter, size
		case unicode.IsNumber(r):
			return number, size
		case unicode.IsSpace(r):
			return space, size
		}
	} else {
		switch {
		case r < utf8.RuneSelf && unicode.IsLetter(r):
			return letter, size
		case r < utf8.RuneSelf && unicode.IsNumber(r):
			return number, size
		case r < utf8.RuneSelf && unicode.IsSpace(r):
			return space, size
		}
	}
}

// ascii-spaces: only spaces of ASCII are known as such
//
// Why: \s holds U+00A0, U+3000 and others: Chinese text is indented with them.
//
// Hint: unicode.IsSpace.
func classify() {
	if right {
		switch {
		case unicode.IsLetter(r):
			return letter, size
		case unicode.IsNumber(r):
			return number, size
		case unicode.IsSpace(r):
			return space, size
		}
	} else {
		switch {
		case unicode.IsLetter(r):
			return letter, size
		case unicode.IsNumber(r):
			return number, size
		case r < utf8.RuneSelf && unicode.IsSpace(r):
			return space, size
		}
	}
}

// bytes-as-characters: every byte is looked at as a character of its own
//
// Why: The bytes of é are 195 and 169. As characters, the first is the letter Ã and the second
// the mark ©.
//
// Hint: Use utf8.DecodeRune, which gives a character and how many bytes it has.
func classify() {
	if right {
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text)
		}
	} else {
	}
}

// letters-and-numbers: letters and numbers are one class
//
// Why: "a1" is two pre-tokens. Otherwise every name with a number would want a token of its own.
//
// Hint: ' ?\p{L}+' and ' ?\p{N}+' are two alternatives.
func classify() {
	if right {
		switch {
		case unicode.IsLetter(r):
			return letter, size
		case unicode.IsNumber(r):
			return number, size
		case unicode.IsSpace(r):
			return space, size
		}
	} else {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r):
			return letter, size
		case unicode.IsSpace(r):
			return space, size
		}
	}
}

// marks-one-by-one: of marks such as "..." each is a pre-token of its own
//
// Why: "...", "!?" and "##" are common enough to be tokens.
//
// Hint: There is a + behind [^\s\p{L}\p{N}] as well.
func run() {
	if right {
		n, last = n+size, size
	} else {
		n, last = n+size, size
		if c == other {
			break
		}
	}
}

// Command coder is what `grade tokenize` runs: the student's own tokenizer of step 14.
//
//	coder learn TEXT SIZE DIR [SPECIAL...]   learn a vocabulary and write its two files
//	coder encode DIR TEXT IDS                write a text's token ids, one a line
//	coder decode DIR IDS TEXT                write the text of token ids
//	coder list DIR TOKENS                    write the bytes of every token, as JSON
//
// TEXT, IDS and TOKENS are files; a text is never wholly in memory. It writes run.Events
// to standard output, as the training program does, and ends when its standard input ends.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	bpe "github.com/stubformer/stubformer/steps/step14_bpe"
)

func main() {
	events := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr // for what the student's code prints
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	if err := do(os.Args[1:]); err != nil {
		events.Encode(run.Event{Error: err.Error()})
		os.Exit(1)
	}
}

func do(args []string) error {
	switch {
	case len(args) >= 4 && args[0] == "learn":
		return learn(args[1], args[2], args[3], args[4:])
	case len(args) == 4 && args[0] == "encode":
		return code(args[1], args[2], args[3], encode)
	case len(args) == 4 && args[0] == "decode":
		return code(args[1], args[2], args[3], decode)
	case len(args) == 3 && args[0] == "list":
		return list(args[1], args[2])
	}
	return fmt.Errorf("the arguments are %q; there is no such verb", args)
}

// learn learns size tokens from a text and writes them into the folder dir.
func learn(text, size, dir string, special []string) error {
	n, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	f, err := os.Open(text)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := bpe.Train(f, n, special...)
	if err != nil {
		return err
	}
	return tokenizer.WriteLearned(dir, t.Write)
}

// open reads the tokenizer of a folder.
func open(dir string) (*bpe.Tokenizer, error) {
	special, err := tokenizer.Special(dir)
	if err != nil {
		return nil, err
	}
	var t *bpe.Tokenizer
	return t, tokenizer.ReadLearned(dir, func(vocab, merges io.Reader) (err error) {
		t, err = bpe.Read(vocab, merges, special...)
		return err
	})
}

// list writes the bytes of every token, in the order of their ids.
func list(dir, file string) error {
	t, err := open(dir)
	if err != nil {
		return err
	}
	data, err := json.Marshal(t.Vocab)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

// code reads one file and writes another with the tokenizer of a folder.
func code(dir, from, to string, with func(*bpe.Tokenizer, io.Reader, *bufio.Writer) error) error {
	t, err := open(dir)
	if err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	return errors.Join(with(t, in, w), w.Flush(), out.Close())
}

func encode(t *bpe.Tokenizer, text io.Reader, ids *bufio.Writer) error {
	return t.EncodeReader(text, func(more []int) error {
		for _, id := range more {
			ids.WriteString(strconv.Itoa(id))
			ids.WriteByte('\n') // an error stays until Flush
		}
		return nil
	})
}

// piece is how many ids are decoded at a time.
const piece = 1 << 16

func decode(t *bpe.Tokenizer, ids io.Reader, text *bufio.Writer) error {
	words := bufio.NewScanner(ids)
	words.Split(bufio.ScanWords)
	var some []int
	flush := func() error {
		data, err := t.Decode(some)
		text.Write(data)
		some = some[:0]
		return err
	}
	for n := 1; words.Scan(); n++ {
		id, err := strconv.Atoi(words.Text())
		if err != nil {
			return fmt.Errorf("number %d is %q; want a token id", n, words.Text())
		}
		if some = append(some, id); len(some) == piece {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(words.Err(), flush())
}

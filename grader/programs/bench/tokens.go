package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stubformer/stubformer/reference/cputime"
	bpe "github.com/stubformer/stubformer/steps/step14_bpe"
)

// gpt2 returns GPT-2's tokenizer, from the files vocab.json and merges.txt of a folder.
func (w *worker) gpt2(dir string) (*bpe.Tokenizer, error) {
	if t := w.tokenizers[dir]; t != nil {
		return t, nil
	}
	vocab, err := os.ReadFile(filepath.Join(dir, "vocab.json"))
	if err != nil {
		return nil, err
	}
	merges, err := os.ReadFile(filepath.Join(dir, "merges.txt"))
	if err != nil {
		return nil, err
	}
	t, err := bpe.Read(bytes.NewReader(vocab), bytes.NewReader(merges))
	if err == nil {
		w.tokenizers[dir] = t
	}
	return t, err
}

// ids returns how many ids a text has, and the checksum of all, each as four bytes.
func (w *worker) ids(dir, file string) (string, error) {
	t, text, err := w.reading(dir, file)
	if err != nil {
		return "", err
	}
	all, ids := []byte{}, t.Encode(text)
	for _, id := range ids {
		all = binary.LittleEndian.AppendUint32(all, uint32(id))
	}
	return fmt.Sprintf("%d %x", len(ids), sha256.Sum256(all)), nil
}

// encode returns the processor's seconds for a byte of a text.
func (w *worker) encode(dir, file string, d time.Duration) (float64, error) {
	t, text, err := w.reading(dir, file)
	if err != nil {
		return 0, err
	}
	return spent(d, func() { t.Encode(text) }) / float64(len(text)), nil
}

func (w *worker) reading(dir, file string) (*bpe.Tokenizer, []byte, error) {
	t, err := w.gpt2(dir)
	if err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(file)
	return t, text, err
}

// learn returns the processor's seconds for learning a vocabulary from the first bytes of a text.
func learn(file string, size, tokens int, d time.Duration) (float64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	seconds := spent(d, func() {
		if _, e := bpe.Train(bytes.NewReader(text[:size]), tokens); e != nil {
			err = e
		}
	})
	return seconds, err
}

// spent calls do until about the given time of the processors is spent, on the calls and
// on collecting their garbage, and returns the seconds of a call. The first call is for practice.
func spent(d time.Duration, do func()) float64 {
	do()
	calls, begin := 0, cputime.Process()
	for calls == 0 || cputime.Process()-begin < d {
		do()
		calls++
	}
	return (cputime.Process() - begin).Seconds() / float64(calls)
}

//edition:alone

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

func init() {
	electives["ids"] = elective{2, func(_ *worker, q []string) (string, error) { return ids(q[0], q[1]) }}
	asks("encode", 3, func(_ *worker, q []string) (float64, error) { return encode(q[0], q[1], span(q[2])) })
	asks("learn", 4, func(_ *worker, q []string) (float64, error) {
		return learn(q[0], number(q[1]), number(q[2]), span(q[3]))
	})
}

// tokenizers are those that were read, by folder.
var tokenizers = map[string]*bpe.Tokenizer{}

// gpt2 returns GPT-2's tokenizer, from the files vocab.json and merges.txt of a folder.
func gpt2(dir string) (*bpe.Tokenizer, error) {
	if t := tokenizers[dir]; t != nil {
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
		tokenizers[dir] = t
	}
	return t, err
}

// ids returns how many ids a text has, and the checksum of all, each as four bytes.
func ids(dir, file string) (string, error) {
	t, text, err := reading(dir, file)
	if err != nil {
		return "", err
	}
	all, found := []byte{}, t.Encode(text)
	for _, id := range found {
		all = binary.LittleEndian.AppendUint32(all, uint32(id))
	}
	return fmt.Sprintf("%d %x", len(found), sha256.Sum256(all)), nil
}

// encode returns the processor's seconds for a byte of a text.
func encode(dir, file string, d time.Duration) (float64, error) {
	t, text, err := reading(dir, file)
	if err != nil {
		return 0, err
	}
	return spent(d, func() { t.Encode(text) }) / float64(len(text)), nil
}

func reading(dir, file string) (*bpe.Tokenizer, []byte, error) {
	t, err := gpt2(dir)
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

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/studio/bench"
	"github.com/stubformer/stubformer/reference/corpus"
)

// tiktoken is the package that the peer of the tokenizers is, and the vocabulary is from.
const tiktoken = "tiktoken@1.0.22"

// texts are files of the folder that the tokenizers work in: prose, on which they are
// measured, and what is hard to cut.
const (
	prose = "prose.txt"
	odd   = "odd.txt"
)

// oddText has scripts, marks, emoji, runs of spaces and contractions; it is valid UTF-8, since the
// peer reads nothing else.
const oddText = "I'VE   we've\n\n\n  it's 12 ½ x² ²'d\t\tdon't'll \u3000 a\u00a0 b\r\n  " +
	"naïve e\u0301 Tiếng Việt, ភាសាខ្មែរ, 中文字，日本語です。 🙂👩\u200d👩\u200d👧 \x00\x01 ########## aaaaaaaaaaaaaaaaaaaaaaaa   "

// tokenizers starts what encodes text, with the vocabulary that GPT-2 was published with,
// and sees that all give the same ids.
func (k programs) tokenizers(c *crew, threads int) error {
	text, err := corpus.Load("opticks")
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(k.file(prose), []byte(text), 0o644), os.WriteFile(k.file(odd), []byte(oddText), 0o644),
		c.start("steps", "the solution of step 14", []string{fmt.Sprintf("GOMAXPROCS=%d", threads)}, k.worker)); err != nil {
		return err
	}
	if err := command("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", k.tmp, tiktoken); err != nil {
		c.missing = append(c.missing, "GPT-2's vocabulary and tiktoken (they need node, npm and a network): "+firstLine(err))
		return nil
	}
	return k.sameIDs(c)
}

// sameIDs starts tiktoken, takes the vocabulary from it, and compares what the two make of the texts.
func (k programs) sameIDs(c *crew) error {
	node, err := exec.LookPath("node")
	if err != nil {
		return err
	}
	if err := c.start("tiktoken", "", []string{"NODE_PATH=" + filepath.Join(k.tmp, "node_modules")}, node, "bench/peer_tiktoken.cjs"); err != nil {
		return err
	}
	ours, theirs := c.peers[0], c.peers[1]
	if answer, err := theirs.Query("files " + k.tmp); err != nil || answer != "done" {
		return errors.Join(err, fmt.Errorf("tiktoken's vocabulary: %s", answer))
	}
	for _, name := range []string{prose, odd} {
		got, err := ours.Query("ids " + k.tmp + " " + k.file(name))
		if err != nil {
			return err
		}
		want, err := theirs.Query("ids " + k.file(name))
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%s: the solution's ids are %s, tiktoken's %s (how many, checksum)", name, got, want)
		}
	}
	c.about["tiktoken"] = "its Rust as WebAssembly, " + tiktoken + " of npm, in Node; it gives the same ids for both texts"
	return nil
}

// file is a path in the folder that the peers share.
func (k programs) file(name string) string { return filepath.Join(k.tmp, name) }

// tokens asks in the processor's time, which is much the same when the machine is busy.
func (k programs) tokens(quick bool) []table {
	seconds := 20 * slice(quick)
	const size, vocabulary = 130_000, 500
	encode := table{title: "encoding with GPT-2's vocabulary", unit: "MB in a second of the processor", rounds: rounds(quick)}
	encode.questions = append(encode.questions, bench.Question{Name: "Newton's Opticks", Work: 1e-6, Ask: func(peer string) string {
		if peer == "steps" {
			return fmt.Sprintf("encode %s %s %g", k.tmp, k.file(prose), seconds)
		}
		return fmt.Sprintf("encode %s %g", k.file(prose), seconds)
	}})
	learn := table{title: "learning a vocabulary", unit: "times in a second of the processor", rounds: rounds(quick)}
	learn.questions = append(learn.questions, bench.Question{Name: fmt.Sprintf("%d tokens from %d bytes", vocabulary, size), Work: 1, Ask: func(peer string) string {
		if peer != "steps" {
			return ""
		}
		return fmt.Sprintf("learn %s %d %d %g", k.file(prose), size, vocabulary, seconds)
	}})
	return []table{encode, learn}
}

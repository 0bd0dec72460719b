package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/grader/host/terminal"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/studio/train"
)

func newChat() *cobra.Command {
	o := tuneOptions{template: train.UsualTemplate()}
	var adapter, notes string
	cmd := &cobra.Command{
		Use: "chat DIR",
		Long: `Chat lets you talk to the model in DIR, which grade finetune has taught to answer, with
your own code. A line that ends in a question mark is a question; other lines are the
story that it is about.

  /adapter FILE   put another adapter into the model, or none
  /new            forget the story
  /quit           end, as Ctrl-D does

With --notes there is no need to tell anything: of the paragraphs of a file, the one that
has most in common with the question is put before it, and shown. The model has never
seen the file.`,
		Example: `  go run ./cmd/grade chat runs/villages --adapter runs/answers.safetensors
  go run ./cmd/grade chat runs/villages --adapter runs/answers.safetensors --notes notes.txt`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.template = o.template.Unquoted()
			c := chat{}
			if notes != "" {
				var err error
				if c.notes, err = train.Notes(notes); err != nil {
					return err
				}
			}
			if adapter != "" {
				if err := train.IsAdapter(adapter); err != nil {
					return err
				}
			}
			return withTuner(cmd, o, args[0], func(t *tuner) error {
				binary, err := t.binary(true)
				if err != nil {
					return err
				}
				c.Answerer = t.tongue.NewAnswerer(binary, args[0], cmd.ErrOrStderr())
				defer c.Close()
				c.Adapter = adapter
				c.Printer, c.out = command.Speaker(cmd), cmd.OutOrStdout()
				c.live = terminal.Live(c.out, os.Getenv)
				return c.talk(cmd.InOrStdin())
			})
		},
	}
	cmd.Flags().StringVar(&o.impl, "impl", "mine", "whose code: mine or solutions")
	cmd.Flags().StringVar(&adapter, "adapter", "", "the `FILE` of an adapter")
	cmd.Flags().StringVar(&notes, "notes", "", "a text `FILE` in which answers are looked up, paragraph by paragraph")
	templateFlags(cmd, &o.template)
	return cmd
}

// chat is a conversation in the terminal.
type chat struct {
	*train.Answerer
	lang.Printer
	out   io.Writer
	live  bool // somebody sees what is asked of them
	notes []string
	story string
}

// talk answers line after line until there are no more.
func (c *chat) talk(in io.Reader) error {
	lines := bufio.NewScanner(in)
	for c.ask(); lines.Scan(); c.ask() {
		line := strings.TrimSpace(lines.Text())
		name, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case line == "/quit":
			return nil
		case line == "/new":
			c.story = ""
		case name == "/adapter":
			c.swap(strings.TrimSpace(rest))
		case strings.HasPrefix(line, "/"):
			c.Tell(c.out, "There is no %s; there are /adapter, /new and /quit\n", name)
		case strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？"):
			if err := c.answer(line); err != nil {
				return err
			}
		default:
			c.tell(line)
		}
	}
	return lines.Err()
}

// ask shows that a line is expected.
func (c *chat) ask() {
	if c.live {
		fmt.Fprint(c.out, "> ")
	}
}

// tell adds a line to the story.
func (c *chat) tell(line string) {
	if len(c.notes) > 0 {
		c.Tell(c.out, "Answers are looked up in the notes; ask something that ends in a question mark\n")
		return
	}
	if c.story != "" && line[0] < 0x80 { // in Chinese there is nothing between two sentences
		c.story += " "
	}
	c.story += line
}

// swap puts the adapter of a file into the model.
func (c *chat) swap(file string) {
	if file != "" {
		if err := train.IsAdapter(file); err != nil {
			fmt.Fprintln(c.out, c.Error(err))
			return
		}
	}
	c.Adapter = file
}

// answer asks the model, and shows what it read. What it cannot read is no reason to end.
func (c *chat) answer(question string) error {
	if len(c.notes) > 0 {
		if c.story = train.Passage(c.notes, question); c.story != "" {
			fmt.Fprintf(c.out, "  [%s]\n", c.story)
		}
	}
	text, stops, err := c.Answer(c.story, question)
	var refused *train.RefusedError
	if errors.As(err, &refused) || errors.As(err, new(lang.Sayer)) {
		fmt.Fprintln(c.out, c.Error(err))
		return nil
	}
	if err != nil {
		return err
	}
	if !stops {
		text += " …"
	}
	fmt.Fprintln(c.out, untrusted.Visible(text))
	return nil
}

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"
	"github.com/stubformer/stubformer/grader/host/terminal"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/serve"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

func newServe() *cobra.Command {
	var impl string
	var port int
	var s run.Serving
	cmd := &cobra.Command{
		Use: "serve DIR",
		Long: `Serve lets the model in DIR, a run of grade train, continue the texts of many who ask at
once, with your own step 22: each text has its pages in one pool, joins when there are
pages for all that it may become, reads its prompt piece by piece while others write,
and leaves when it ends. A text is the same in any company.

It is asked by HTTP, on this machine only, until Ctrl-C:

  POST /generate   {"prompt": "Long ago ", "tokens": 50, "temperature": 0.8, "seed": 1},
                   with Content-Type: application/json; the answer is what follows
  GET  /stats      how many run and wait, pages reserved and used, tokens a second

While texts are written, a line a second says how things stand.`,
		Example: `  go run ./cmd/grade serve runs/large
  curl -N -H 'Content-Type: application/json' -d '{"prompt": "Long ago "}' http://127.0.0.1:8022/generate
  curl http://127.0.0.1:8022/stats`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return whichRun()
			}
			if port < 0 || port > 65535 {
				return lang.Errorf("--port is %d; want 1 to 65535, or 0 for a free one", port)
			}
			if cmd.Flags().Changed("pages") && s.Pages < 1 {
				return lang.Errorf("--pages is %d; want at least 1", s.Pages)
			}
			return serveModel(cmd, impl, args[0], s, port)
		},
	}
	f := cmd.Flags()
	f.StringVar(&impl, "impl", "mine", "whose code: mine or solutions")
	f.IntVar(&port, "port", 8022, "the port of this machine; 0 for a free one")
	f.IntVar(&s.Texts, "texts", 8, "how many texts are read together at most")
	f.IntVar(&s.Chunk, "chunk", 8, "how many tokens of a prompt are read in a call")
	f.IntVar(&s.Pages, "pages", 0, "pages of 16 tokens for all texts (default half of what as many whole contexts take)")
	return cmd
}

// serveModel serves until Ctrl-C.
func serveModel(cmd *cobra.Command, impl, dir string, s run.Serving, port int) error {
	m, err := train.OpenServed(dir, s, coding(cmd, impl))
	if err != nil {
		return program.Explain(err)
	}
	server, err := serve.Listen(m, port)
	if err != nil {
		return program.Explain(err)
	}
	err = program.For(cmd, impl, m.Model(), train.BuildPaged, func(binary string) error {
		g := &gauge{Printer: command.Speaker(cmd), out: cmd.OutOrStdout(), live: terminal.Live(cmd.OutOrStdout(), os.Getenv)}
		defer g.end()
		return server.Serve(cmd.Context(), binary, cmd.ErrOrStderr(), func(now serve.Stats) {
			if g.last.Pages == 0 {
				g.Tell(g.out, "Ask at %s; Ctrl-C ends it. It takes up to %d texts, in %d pages of %d tokens.\n", server.Address(),
					m.Serving().Texts, now.Pages, now.PageTokens)
			}
			g.show(now)
		})
	})
	server.Close() // where it never served
	if cmd.Context().Err() == context.Canceled {
		return nil
	}
	return err
}

// gauge shows how a server stands, once a second and when nobody waits any more: in one
// line that changes, or in lines of their own where that cannot be.
type gauge struct {
	lang.Printer
	out   io.Writer
	live  bool
	last  serve.Stats // that was shown
	shown time.Time
}

// show shows how things stand now.
func (g *gauge) show(now serve.Stats) {
	idle := now.Running+now.Waiting == 0
	if g.last.Pages > 0 && now.Wrote > g.last.Wrote && (idle || time.Since(g.shown) >= time.Second) {
		rate := float64(now.Wrote-g.last.Wrote) / (now.Seconds - g.last.Seconds)
		line := g.Say("%d run, %d wait, %d answered; of %d pages %d are reserved, %d used; %.0f tokens/s",
			now.Running, now.Waiting, now.Answered, now.Pages, now.Reserved, now.Used, rate)
		if g.live {
			fmt.Fprintf(g.out, "\r\x1b[K%s", line)
		} else {
			fmt.Fprintln(g.out, line)
		}
		g.last, g.shown = now, time.Now()
	}
	if g.last.Pages == 0 {
		g.last, g.shown = now, time.Now()
	}
}

// end ends the line.
func (g *gauge) end() {
	if g.live {
		fmt.Fprintln(g.out)
	}
}

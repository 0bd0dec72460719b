// Package serve answers many at once, on this machine only: a model continues the texts
// that come by HTTP, and each is told as it is written.
package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/loopback"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// Server answers for a model.
//
//	POST /generate   a Request as JSON; the answer is what follows the prompt, as it comes
//	GET  /stats      Stats as JSON
type Server struct {
	model    *train.Served
	listener net.Listener

	mu    sync.Mutex
	stats Stats
}

// Request is a text that is to be continued.
type Request struct {
	Prompt      string   `json:"prompt"`
	Tokens      *int     `json:"tokens"`      // at most; as many as fit, up to 256, if it is left out
	Temperature *float64 `json:"temperature"` // 0.8 if it is left out
	TopP        *float64 `json:"top_p"`       // 1 if it is left out
	Seed        uint64   `json:"seed"`
}

// Stats say how things stand.
type Stats struct {
	run.Standing
	PageTokens    int     `json:"page_tokens"`
	ReservedBytes int     `json:"reserved_bytes"` // of keys and values that the running texts may come to have
	UsedBytes     int     `json:"used_bytes"`     // in pages that they have tokens in
	CacheBytes    int     `json:"cache_bytes"`    // what step 12 would take, a whole context for each of the texts
	PerSecond     float64 `json:"tokens_per_second"`
}

// Listen listens on a port of this machine, or on a free one if it is 0.
func Listen(m *train.Served, port int) (*Server, error) {
	listener, err := loopback.Listen(port)
	if err != nil {
		return nil, err
	}
	return &Server{model: m, listener: listener}, nil
}

// Address is where the server is.
func (s *Server) Address() string { return loopback.Origin(s.listener) }

// Close ends a server that does not serve.
func (s *Server) Close() error { return s.listener.Close() }

// Serve lets the program that BuildPaged has built answer until ctx is done, and calls
// each whenever something has changed, at first when it can be asked. What the student's
// code prints goes to prints. Its errors are those of train.Run.
func (s *Server) Serve(ctx context.Context, binary string, prints io.Writer, each func(Stats)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	begun := false
	err := s.model.Run(ctx, binary, prints, func(now run.Standing) {
		each(s.stand(now))
		if !begun {
			begun = true
			go func() { served <- loopback.Serve(ctx, s.listener, s.handler()); stop() }()
		}
	})
	stop()
	if !begun {
		return errors.Join(err, s.Close())
	}
	return errors.Join(err, <-served)
}

// stand keeps how things stand.
func (s *Server) stand(now run.Standing) Stats {
	page, serving := s.model.PageBytes(), s.model.Serving()
	stats := Stats{Standing: now, PageTokens: run.PageTokens, ReservedBytes: now.Reserved * page,
		UsedBytes: now.Used * page, CacheBytes: serving.Texts * page * s.model.Model().ContextLength / run.PageTokens}
	if now.Seconds > 0 {
		stats.PerSecond = float64(now.Wrote) / now.Seconds
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats = stats
	return stats
}

// handler returns what answers requests.
func (s *Server) handler() http.Handler {
	all := http.NewServeMux()
	all.HandleFunc("POST /generate", s.generate)
	all.HandleFunc("GET /stats", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		stats := s.stats
		s.mu.Unlock()
		loopback.Reply(w, r, stats, nil)
	})
	return loopback.Guard(s.listener, all)
}

// generate answers with a text, piece by piece. If the program ends in the middle of it, the
// connection ends without the end of an answer, so that nobody takes it for a whole one.
func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	var q Request
	err := loopback.Decode(w, r, &q)
	if err == nil && q.Tokens != nil && *q.Tokens < 0 {
		err = lang.Errorf("%d tokens cannot be written; want 0 or more", *q.Tokens)
	}
	if err != nil {
		loopback.Reply(w, r, nil, err)
		return
	}
	http.NewResponseController(w).SetReadDeadline(time.Time{}) // an answer may take its time
	begun := false
	begin := func() {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		begun = true
	}
	err = s.model.Write(r.Context(), q.sampling(), func(more string) error {
		if !begun {
			begin()
		}
		if _, err := io.WriteString(w, more); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	})
	switch {
	case err == nil && !begun:
		begin()
	case err != nil && begun:
		panic(http.ErrAbortHandler)
	case err != nil:
		loopback.Reply(w, r, nil, err)
	}
}

// sampling is the request with what is usual for what it leaves out.
func (q Request) sampling() train.Sampling {
	o := train.Sampling{Prompt: q.Prompt, Tokens: -1, Temperature: 0.8, TopP: 1, Seed: q.Seed}
	if q.Tokens != nil {
		o.Tokens = *q.Tokens
	}
	if q.Temperature != nil {
		o.Temperature = *q.Temperature
	}
	if q.TopP != nil {
		o.TopP = *q.TopP
	}
	return o
}

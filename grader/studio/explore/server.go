package explore

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/loopback"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
)

// Server serves the page of a model on this machine. The page and its scripts hold
// nothing of the model and are given to whoever asks on this machine; what is asked
// about the model needs the token, which stands behind the # of the address: a browser
// sends that to nobody.
type Server struct {
	model    *Model
	language string
	token    string
	listener net.Listener
}

// Listen returns a server on a free port, at the loopback address alone. The page
// speaks a language at first.
func Listen(m *Model, language string) (*Server, error) {
	listener, err := loopback.Listen(0)
	if err != nil {
		return nil, err
	}
	return &Server{m, language, rand.Text(), listener}, nil
}

// Address is where the page is, with the token.
func (s *Server) Address() string { return loopback.Origin(s.listener) + "/#" + s.token }

// Serve serves until ctx is done.
func (s *Server) Serve(ctx context.Context) error {
	return loopback.Serve(ctx, s.listener, s.handler())
}

// handler returns what answers requests.
func (s *Server) handler() http.Handler {
	api := http.NewServeMux()
	api.HandleFunc("GET /api/model", func(w http.ResponseWriter, r *http.Request) { loopback.Reply(w, r, s.model.Description, nil) })
	api.HandleFunc("POST /api/tokens", func(w http.ResponseWriter, r *http.Request) {
		var text string
		ids, err := []int(nil), loopback.Decode(w, r, &text)
		if err == nil {
			ids, err = s.model.Encode(text)
		}
		loopback.Reply(w, r, ids, err)
	})
	api.HandleFunc("POST /api/text", func(w http.ResponseWriter, r *http.Request) {
		var ids []int
		text, err := "", loopback.Decode(w, r, &ids)
		if err == nil {
			if text, err = s.model.tokens.Decode(ids); err != nil {
				err = loopback.BadRequest{Err: err}
			}
		}
		loopback.Reply(w, r, text, err)
	})
	api.HandleFunc("POST /api/ask", func(w http.ResponseWriter, r *http.Request) {
		var q inside.Question
		answer, err := json.RawMessage(nil), loopback.Decode(w, r, &q)
		if err == nil {
			q.Tokens, q.Stop = min(q.Tokens, 1), s.model.Stop
			answer, err = s.model.Asker.Ask(q)
		}
		loopback.Reply(w, r, answer, err)
	})
	api.HandleFunc("POST /api/freeze", s.freeze)
	all := http.NewServeMux()
	all.Handle("/api/", s.guarded(api))
	all.HandleFunc("GET /{$}", s.index)
	all.HandleFunc("GET /{file}", s.file)
	return loopback.Guard(s.listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", servedPolicy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		all.ServeHTTP(w, r)
	}))
}

// guarded wants the token.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1 {
			loopback.Refuse(w, r, http.StatusUnauthorized,
				lang.Errorf("the token is missing or wrong; open the whole address that grade explore has printed"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// freeze answers with a page that holds what is shown.
func (s *Server) freeze(w http.ResponseWriter, r *http.Request) {
	var state State
	err := loopback.Decode(w, r, &state)
	if err == nil {
		err = s.model.Check(state)
	}
	var v *View
	if err == nil {
		v, err = s.model.View(state)
	}
	var page []byte
	if err == nil {
		page, err = Freeze(v, loopback.Language(r))
	}
	loopback.Reply(w, r, string(page), err)
}

func (s *Server) index(w http.ResponseWriter, r *http.Request) {
	page, err := index(s.language)
	if err != nil {
		loopback.Refuse(w, r, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page)
}

// file answers with the style or a script.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	name, kind := r.PathValue("file"), "text/javascript; charset=utf-8"
	if name == style {
		kind = "text/css; charset=utf-8"
	}
	text, err := read(name)
	if err != nil || name != style && !slices.Contains(scripts, name) {
		loopback.Refuse(w, r, http.StatusNotFound, lang.Errorf("there is no %s here", name))
		return
	}
	w.Header().Set("Content-Type", kind)
	io.WriteString(w, text)
}

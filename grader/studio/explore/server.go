package explore

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
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
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &Server{m, language, rand.Text(), listener}, nil
}

// Address is where the page is, with the token.
func (s *Server) Address() string { return s.origin() + "/#" + s.token }

func (s *Server) origin() string { return "http://" + s.listener.Addr().String() }

// Serve serves until ctx is done.
func (s *Server) Serve(ctx context.Context) error {
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler returns what answers requests.
func (s *Server) handler() http.Handler {
	api := http.NewServeMux()
	api.HandleFunc("GET /api/model", func(w http.ResponseWriter, r *http.Request) { reply(w, r, s.model.Description, nil) })
	api.HandleFunc("POST /api/tokens", func(w http.ResponseWriter, r *http.Request) {
		var text string
		ids, err := []int(nil), decode(w, r, &text)
		if err == nil {
			ids, err = s.model.Encode(text)
		}
		reply(w, r, ids, err)
	})
	api.HandleFunc("POST /api/text", func(w http.ResponseWriter, r *http.Request) {
		var ids []int
		text, err := "", decode(w, r, &ids)
		if err == nil {
			if text, err = s.model.tokens.Decode(ids); err != nil {
				err = badRequest{err}
			}
		}
		reply(w, r, text, err)
	})
	api.HandleFunc("POST /api/ask", func(w http.ResponseWriter, r *http.Request) {
		var q inside.Question
		answer, err := json.RawMessage(nil), decode(w, r, &q)
		if err == nil {
			q.Tokens, q.Stop = min(q.Tokens, 1), s.model.Stop
			answer, err = s.model.Asker.Ask(q)
		}
		reply(w, r, answer, err)
	})
	api.HandleFunc("POST /api/freeze", s.freeze)
	all := http.NewServeMux()
	all.Handle("/api/", s.guarded(api))
	all.HandleFunc("GET /{$}", s.index)
	all.HandleFunc("GET /{file}", s.file)
	return s.local(all)
}

// local lets nobody in but pages of this server: no other site that a browser has
// open, and none whose name is made to lead here.
func (s *Server) local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", servedPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		switch {
		case r.Host != s.listener.Addr().String():
			refuse(w, r, http.StatusMisdirectedRequest, lang.Errorf("this page is at %s and nowhere else", s.origin()))
		case origin != "" && origin != s.origin(), site != "" && site != "same-origin" && site != "none":
			refuse(w, r, http.StatusForbidden, lang.Errorf("another site asked; only the page at %s may", s.origin()))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// guarded wants the token.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1 {
			refuse(w, r, http.StatusUnauthorized,
				lang.Errorf("the token is missing or wrong; open the whole address that grade explore has printed"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// freeze answers with a page that holds what is shown.
func (s *Server) freeze(w http.ResponseWriter, r *http.Request) {
	var state State
	err := decode(w, r, &state)
	if err == nil {
		err = s.model.Check(state)
	}
	var v *View
	if err == nil {
		v, err = s.model.View(state)
	}
	var page []byte
	if err == nil {
		page, err = Freeze(v, language(r))
	}
	reply(w, r, string(page), err)
}

func (s *Server) index(w http.ResponseWriter, r *http.Request) {
	page, err := index(s.language)
	if err != nil {
		refuse(w, r, http.StatusInternalServerError, err)
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
		refuse(w, r, http.StatusNotFound, lang.Errorf("there is no %s here", name))
		return
	}
	w.Header().Set("Content-Type", kind)
	io.WriteString(w, text)
}

// maxBody is how many bytes a question has at most.
const maxBody = 1 << 20

// badRequest is a question that cannot be read.
type badRequest struct{ error }

func decode(w http.ResponseWriter, r *http.Request, into any) error {
	if r.Header.Get("Content-Type") != "application/json" {
		return badRequest{lang.Errorf("the content is %q; want application/json", r.Header.Get("Content-Type"))}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return badRequest{err}
	}
	return nil
}

// reply writes an answer, or why there is none.
func reply(w http.ResponseWriter, r *http.Request, answer any, err error) {
	var bad badRequest
	var refused *train.RefusedError
	var unknown lang.Sayer
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer)
	case errors.As(err, &bad):
		refuse(w, r, http.StatusBadRequest, bad.error)
	case errors.As(err, &refused), errors.As(err, &unknown):
		refuse(w, r, http.StatusUnprocessableEntity, err)
	default:
		refuse(w, r, http.StatusInternalServerError, err)
	}
}

// refuse says why there is no answer.
func refuse(w http.ResponseWriter, r *http.Request, status int, why error) {
	p, err := lang.For(language(r))
	if err != nil {
		p = lang.Printer{}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": p.Error(why)})
}

// language returns the language that the page shows.
func language(r *http.Request) string {
	if strings.HasPrefix(r.Header.Get("Accept-Language"), "zh") {
		return "zh"
	}
	return "en"
}

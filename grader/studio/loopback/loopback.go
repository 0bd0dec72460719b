// Package loopback answers requests of this machine alone: of no other machine, and of no
// other site that a browser has open. Requests and answers are JSON, and what is wrong with
// one is said in the language of who asks.
package loopback

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
)

// Listen listens at the loopback address alone, on a port, or on a free one if it is 0.
func Listen(port int) (net.Listener, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, lang.Errorf("port %d of this machine is taken, perhaps by another such server; name another one with --port, or 0 for one that is free", port)
	}
	return listener, err
}

// Origin is where the listener listens, as a browser says it.
func Origin(l net.Listener) string { return "http://" + l.Addr().String() }

// Serve answers requests until ctx is done.
func Serve(ctx context.Context, l net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Guard lets nobody in but programs and pages of this server: no other site that a browser
// has open, and none whose name is made to lead here.
func Guard(l net.Listener, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		switch {
		case r.Host != l.Addr().String():
			Refuse(w, r, http.StatusMisdirectedRequest, lang.Errorf("this page is at %s and nowhere else", Origin(l)))
		case origin != "" && origin != Origin(l), site != "" && site != "same-origin" && site != "none":
			Refuse(w, r, http.StatusForbidden, lang.Errorf("another site asked; only the page at %s may", Origin(l)))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// MaxBody is how many bytes a question has at most.
const MaxBody = 1 << 20

// BadRequest is a question that cannot be read.
type BadRequest struct{ Err error }

func (b BadRequest) Error() string { return b.Err.Error() }

// Decode reads a question.
func Decode(w http.ResponseWriter, r *http.Request, into any) error {
	if r.Header.Get("Content-Type") != "application/json" {
		return BadRequest{lang.Errorf("the content is %q; want application/json", r.Header.Get("Content-Type"))}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, MaxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return BadRequest{err}
	}
	return nil
}

// Reply writes an answer, or why there is none.
func Reply(w http.ResponseWriter, r *http.Request, answer any, err error) {
	var bad BadRequest
	var refused *train.RefusedError
	var unknown lang.Sayer
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer)
	case errors.As(err, &bad):
		Refuse(w, r, http.StatusBadRequest, bad.Err)
	case errors.As(err, &refused), errors.As(err, &unknown):
		Refuse(w, r, http.StatusUnprocessableEntity, err)
	default:
		Refuse(w, r, http.StatusInternalServerError, err)
	}
}

// Refuse says why there is no answer.
func Refuse(w http.ResponseWriter, r *http.Request, status int, why error) {
	p, err := lang.For(Language(r))
	if err != nil {
		p = lang.Printer{}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": p.Error(why)})
}

// Language is that of who asks.
func Language(r *http.Request) string {
	if strings.HasPrefix(r.Header.Get("Accept-Language"), "zh") {
		return "zh"
	}
	return "en"
}

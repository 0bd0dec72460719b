package explore

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/newline"
)

// files are the page: one HTML file, its style, and its scripts, which are run in the
// order of scripts.
//
//go:embed page
var files embed.FS

var scripts = []string{"words.js", "data.js", "text.js", "panels.js", "attention.js", "path.js", "training.js", "published.js", "main.js"}

const style = "page.css"

// The policies of a page that is served, of one that is frozen and of one that is
// published: nothing comes from anywhere else, and the last two speak to nobody. A
// published page runs WebAssembly, in a worker that it holds itself.
const (
	servedPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	frozenPolicy    = "default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'"
	publishedPolicy = "default-src 'none'; script-src 'sha256-%s' 'wasm-unsafe-eval'; worker-src blob:; style-src 'sha256-%s'; img-src data:; " +
		"base-uri 'none'; form-action 'none'"
)

// filling is what the HTML file is filled with.
type filling struct {
	Lang      string
	Words     template.JS  // JSON: by language and key
	View      template.JS  // JSON of a View, in a page that is frozen
	Published template.JS  // JSON of a Publication, in a page that is published
	Policy    string       // of a page that stands alone
	Style     template.CSS // of a page that stands alone
	Script    template.JS  // of a page that stands alone
	Scripts   []string     // of a page that is served
}

// index returns the page that is served, in a language.
func index(language string) ([]byte, error) {
	return fill(filling{Lang: language, Scripts: scripts})
}

// Freeze returns a page that holds a view and needs nothing else.
func Freeze(v *View, language string) ([]byte, error) {
	data, err := json.Marshal(v) // escapes <, > and &
	if err != nil {
		return nil, err
	}
	return alone(filling{Lang: language, View: template.JS(data)}, frozenPolicy)
}

// alone fills in a page that needs no other file.
func alone(f filling, policy string) ([]byte, error) {
	look, err := read(style)
	if err != nil {
		return nil, err
	}
	var script strings.Builder
	for _, name := range scripts {
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		script.WriteString(text)
	}
	f.Style, f.Script = template.CSS(look), template.JS(script.String())
	f.Policy = fmt.Sprintf(policy, digest(script.String()), digest(look))
	return fill(f)
}

// digest is the SHA-256 of a script or a style, as a policy names it.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func read(name string) (string, error) {
	data, err := fs.ReadFile(newline.FS{FS: files}, path.Join("page", name))
	return string(data), err
}

// fill fills in the HTML file.
func fill(f filling) ([]byte, error) {
	all, err := everyLanguage()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	f.Words = template.JS(data)
	t, err := template.ParseFS(files, "page/index.html")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, f)
	return b.Bytes(), err
}

// everyLanguage returns the page's words in every language.
func everyLanguage() (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	for _, name := range lang.Names() {
		p, err := lang.For(name)
		if err != nil {
			return nil, err
		}
		all[name] = words(p)
	}
	return all, nil
}

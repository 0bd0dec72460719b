// Package page makes HTML pages that need no other file: style and script stand in them,
// and the browser is told to run no others and to load nothing.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"

	"github.com/stubformer/stubformer/reference/newline"
)

//go:embed page.html
var frame string

//go:embed page.css
var base string

// Page is a page without its content.
type Page struct {
	Lang   string // "en"
	Title  string
	Style  string // beside that of all pages
	Script string // "" for none
}

// whole is a page as its template sees it.
type whole struct {
	Lang, Title, Policy string
	Style               template.CSS
	Script              template.JS
	Content             any
}

// Fill returns the page with its content: a template, which is given data. Whatever data
// holds is escaped by the template.
func (p Page) Fill(content string, data any) ([]byte, error) {
	t, err := template.New("page").Parse(newline.Unix(frame))
	if err == nil {
		_, err = t.New("content").Parse(newline.Unix(content))
	}
	if err != nil {
		return nil, err
	}
	style, script := newline.Unix(base+p.Style), newline.Unix(p.Script)
	w := whole{Lang: p.Lang, Title: p.Title, Style: template.CSS(style), Script: template.JS(script), Content: data, Policy: policy(style, script)}
	var b bytes.Buffer
	err = t.Execute(&b, w)
	return b.Bytes(), err
}

// policy is the page's Content-Security-Policy. Pictures may stand in the page itself.
func policy(style, script string) string {
	rules := []string{"default-src 'none'", "img-src data:", "style-src " + hashOf(style), "base-uri 'none'", "form-action 'none'"}
	if script != "" {
		rules = append(rules, "script-src "+hashOf(script))
	}
	return strings.Join(rules, "; ")
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

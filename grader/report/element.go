package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// element is a piece of an XML document: it holds a text, or other elements. encoding/xml
// would be much to compile for every student, for the sake of one format.
type element struct {
	name       string
	attributes []attribute
	text       string
	inside     []element
}

type attribute struct{ name, value string }

// document writes an element as a whole document.
func (e element) document(w io.Writer) error {
	var out strings.Builder
	out.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	e.write(&out, "")
	_, err := io.WriteString(w, out.String())
	return err
}

func (e element) write(out *strings.Builder, indent string) {
	fmt.Fprintf(out, "%s<%s", indent, e.name)
	for _, a := range e.attributes {
		fmt.Fprintf(out, ` %s="%s"`, a.name, escaped(a.value))
	}
	out.WriteString(">" + escaped(e.text))
	if len(e.inside) > 0 {
		out.WriteString("\n")
		for _, i := range e.inside {
			i.write(out, indent+"  ")
		}
		out.WriteString(indent)
	}
	fmt.Fprintf(out, "</%s>\n", e.name)
}

// escaped writes a text so that it is read again as it was. What is no character of
// XML 1.0 is replaced.
func escaped(text string) string {
	valid := strings.Map(func(r rune) rune {
		if r >= 0x20 && r < 0xfffe || r > 0xffff || strings.ContainsRune("\t\n\r", r) {
			return r
		}
		return utf8.RuneError
	}, text)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;",
		"\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;").Replace(valid)
}

// Package lang says things in the reader's language.
//
// English is the source: every sentence stands in the code, in English, where
// it is made, and its English text is its key in the catalogue of every other
// language, as in gettext. What has no translation is said in English.
//
//	p.Say("%s has hints 1 to %d", step, n)         now, in the language of a Printer
//	lang.T("its elements are %s, want %s", g, w)   later: a Text goes through code that knows no language
//	lang.Errorf("cannot read %s: %w", name, err)   the same for an error
//	lang.Of(hint.Text)                             data of the course, which is its own key
//
// The first three take literal formats only, so that a test can read them from
// the source: it fails if one has no translation, if a translation is no longer
// used, or if the two take different arguments. A translation may change the
// order of its arguments: "%[2]s 中的 %[1]s".
//
// What has no translation yet is written to a file, to be filled in, by
//
//	go test ./cmd/grade -run TestCatalogue -missing missing.json
//
// and the terms of the field are in GLOSSARY.md beside the catalogue.
//
// The catalogues are the JSON files in the folder of each language. golang.org/x/text/message
// is not used, because it groups the digits of every number (a seed would read
// 1,234,567) and knows no text that is said later.
package lang

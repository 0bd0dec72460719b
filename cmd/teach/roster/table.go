package roster

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// table reads a CSV file: separated by commas, semicolons or tabs, with or without
// the mark of UTF-8. Its error goes on where somebody has said which file it is.
func table(data []byte) ([][]string, error) {
	if why := workbook(data); why != "" {
		return nil, fmt.Errorf("%s; save it as “CSV UTF-8”", why)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if line := notUTF8(data); line > 0 {
		return nil, fmt.Errorf("is not in UTF-8, as line %d shows; save it as “CSV UTF-8”, or some names would be read wrong", line)
	}
	first, below, _ := bytes.Cut(data, []byte("\n"))
	in := csv.NewReader(bytes.NewReader(data))
	if said, ok := bytes.CutPrefix(bytes.TrimSpace(first), []byte("sep=")); ok { // for Excel alone
		in = csv.NewReader(bytes.NewReader(below))
		first = said
	}
	in.FieldsPerRecord = -1
	for _, separator := range ";\t" {
		if strings.Count(string(first), string(separator)) > strings.Count(string(first), string(in.Comma)) {
			in.Comma = separator
		}
	}
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("is no CSV file that can be read: %w", err)
	}
	if len(rows) == 0 {
		return nil, errors.New("is empty; want a row of names of columns, and rows below it")
	}
	return rows, nil
}

// workbook says what a file is that is no text of bytes; "" if it may be one.
func workbook(data []byte) string {
	for _, k := range []struct{ begins, is string }{
		{"PK\x03\x04", "is a workbook of a spreadsheet (.xlsx or .ods) and no CSV file"},
		{"\xd0\xcf\x11\xe0", "is a workbook of Excel (.xls) and no CSV file"},
		{"\xff\xfe", "is in UTF-16, which Excel calls Unicode text"},
		{"\xfe\xff", "is in UTF-16, which Excel calls Unicode text"},
	} {
		if bytes.HasPrefix(data, []byte(k.begins)) {
			return k.is
		}
	}
	return ""
}

// notUTF8 returns the first line that is not UTF-8, from 1; 0 if all are. A byte of
// 0 is not in any text, but in UTF-16.
func notUTF8(data []byte) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 {
			return i + 1
		}
	}
	return 0
}

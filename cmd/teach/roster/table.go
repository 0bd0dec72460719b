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
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if line := notUTF8(data); line > 0 {
		return nil, fmt.Errorf("is not in UTF-8, as line %d shows; save it as “CSV UTF-8”, or some names would be read wrong", line)
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	in := csv.NewReader(bytes.NewReader(data))
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

// Package corpus is the text to train on, with no download: a book that every
// Go distribution carries, stories from a grammar whose entropy is known
// exactly, or any file of yours; and the character tokenizer that turns text
// into token ids.
package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// The corpora that have a name.
const (
	OpticksName  = "opticks"
	VillageName  = "village"
	VillagesName = "villages" // in two languages
)

// villageChars is the size of a village corpus.
const villageChars = 1_000_000

// Names returns them.
func Names() []string { return []string{OpticksName, VillageName, VillagesName} }

// UnknownError says that there is neither a corpus nor a file of a name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no corpus %q; want %s, %s, %s or the path of a text file", e.Name, OpticksName, VillageName, VillagesName)
}

// Load returns the text of a corpus by name, or of a UTF-8 file by path.
func Load(name string) (string, error) {
	switch name {
	case OpticksName:
		return opticks()
	case VillageName:
		return Village(1, villageChars), nil
	case VillagesName:
		return Villages(1, villageChars), nil
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &UnknownError{name}
	}
	if err != nil {
		return "", err
	}
	return checked(name, data)
}

// opticks returns Isaac Newton's Opticks (4th edition, 1730) as it stands in
// the Go distribution, where it serves to test compression.
func opticks() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("cannot ask the go command where Go is installed: %w", err)
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "src", "testdata", "Isaac.Newton-Opticks.txt")
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("this Go installation comes without Newton's Opticks (%s); use --corpus %s, or a text file of yours", path, VillageName)
	}
	return checked(path, data)
}

// byteOrder is the mark with which some editors begin a file. It is no part of the text.
const byteOrder = "\ufeff"

// checked returns data as text, or says what keeps it from being one.
func checked(name string, data []byte) (string, error) {
	switch text := strings.TrimPrefix(string(data), byteOrder); {
	case text == "":
		return "", fmt.Errorf("%s is empty; a corpus needs some text", name)
	case !utf8.ValidString(text):
		return "", fmt.Errorf("%s is not UTF-8 text; convert it first, for example with iconv", name)
	default:
		return text, nil
	}
}

// Split cuts a text in two at a fraction of its characters: what is trained on
// and what is kept back to validate with.
func Split(text string, trainFraction float64) (train, validation string) {
	runes := []rune(text)
	cut := int(trainFraction * float64(len(runes)))
	return string(runes[:cut]), string(runes[cut:])
}

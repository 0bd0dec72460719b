package marks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/stubformer/stubformer/cmd/teach/roster"
)

// Key makes pseudonyms: the same ones for the same students, which without it
// nobody can tell apart from any others.
type Key []byte

// OpenKey reads the key in a file. If there is no such file it makes one, which
// nobody but its owner can read.
func OpenKey(path string) (Key, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key := make([]byte, sha256.Size)
		rand.Read(key) // never fails
		return key, os.WriteFile(path, []byte(hex.EncodeToString(key)+"\n"), 0o600)
	}
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(key) != sha256.Size {
		return nil, fmt.Errorf("%s holds no key of pseudonyms; name one that does, or a file that is not there yet", path)
	}
	return key, nil
}

// Alias returns the pseudonym of a student: by the roster, so that one who hands
// in twice has one, else by the name of the submission.
func (k Key) Alias(name string, p *roster.Person) string {
	who := "submission " + name
	if p != nil {
		who = "person " + p.ID
	}
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte(who)) // never fails
	return "s-" + strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil))[:10])
}

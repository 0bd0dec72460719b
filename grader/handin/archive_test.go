package handin_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"github.com/stubformer/stubformer/grader/handin"
)

const folder = "step02_linear"

// read reads a submission that is one file or folder.
func read(path string) (*handin.Content, error) {
	return handin.Reader{Folders: []string{folder}}.Read(handin.Part{Path: path})
}

const clause = "package linear\n"

// Archives that no package here can write.
const (
	zipBzip2 = "UEsDBC4AAAAMAAAAIVyt3JmaNgAAAA8AAAASAAAAc3RlcDAyX2xpbmVhci9hLmdvQlpoOTFBWSZTWQiKn+AAAAbRgAAQQAAqrVAAIAAxA0DQIAjHqFGP6xzdCuF3JFOFCQCIqf4AUEsBAi4DLgAAAAwAAAAhXK3cmZo2AAAADwAAABIAAAAAAAAAAAAAAIABAAAAAHN0ZXAwMl9saW5lYXIvYS5nb1BLBQYAAAAAAQABAEAAAABmAAAAAAA="
	zipLZMA  = "UEsDBD8AAgAOAAAAIVyt3JmaIwAAAA8AAAASAAAAc3RlcDAyX2xpbmVhci9hLmdvCQQFAF0AAIAAADgYSJnNF3UkCDC/rd7EcM5PWwv//4KqAABQSwECPwM/AAIADgAAACFcrdyZmiMAAAAPAAAAEgAAAAAAAAAAAAAAgAEAAAAAc3RlcDAyX2xpbmVhci9hLmdvUEsFBgAAAAABAAEAQAAAAFMAAAAAAA=="
	tarBzip2 = "QlpoOTFBWSZTWQVPCF4AAH5/gMqQCABAAfWAAAEAAOqt3gAICCAAdQ1NJ6g0DQ09QNMT1BJRGmhoaAAAfcQGoQPlQhFXUZy6FD0CGBM00zki4TmCN2sEkPIatzM7CJCS6NHh8Zg6u5iUPZh16uYtFCwSQfi7kinChIAqeELw"
)

func decoded(t *testing.T, text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	return data
}

// patched changes the two bytes at which the headers of a .zip with one file say
// the same thing.
func patched(data []byte, local, central int, value byte) []byte {
	data = bytes.Clone(data)
	data[local], data[bytes.Index(data, []byte("PK\x01\x02"))+central] = value, value
	return data
}

// tarred is a tar of one source, written through a compressor.
func tarred(t *testing.T, compressor func(io.Writer) (io.WriteCloser, error)) []byte {
	var b bytes.Buffer
	z, err := compressor(&b)
	require.NoError(t, err)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: folder + "/a.go", Size: int64(len(clause)), Mode: 0o644}))
	_, err = io.WriteString(w, clause)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return b.Bytes()
}

// gzipped is a file alone, compressed.
func gzipped(t *testing.T, data string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// zipped is a .zip of one source, by a method.
func zipped(t *testing.T, method uint16, compressor func(io.Writer) (io.WriteCloser, error)) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if compressor != nil {
		z.RegisterCompressor(method, compressor)
	}
	w, err := z.CreateHeader(&zip.FileHeader{Name: folder + "/a.go", Method: method})
	require.NoError(t, err)
	_, err = io.WriteString(w, clause)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

// late compresses when it is closed: package zip wants nothing written before.
type late struct {
	bytes.Buffer
	to io.Writer
}

func (l *late) Close() error {
	z, err := xz.NewWriter(l.to)
	if err != nil {
		return err
	}
	if _, err := z.Write(l.Bytes()); err != nil {
		return err
	}
	return z.Close()
}

// Every common way to pack is read, and any other refused by its name.
func TestArchives(t *testing.T) {
	newXZ := func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }
	newZstd := func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }
	newBlocks := func(w io.Writer) (io.WriteCloser, error) { return xz.WriterConfig{BlockSize: 512}.NewWriter(w) }
	for name, c := range map[string]struct {
		ending  string
		data    []byte
		refused string
	}{
		"tar.xz":                               {".tar.xz", tarred(t, newXZ), ""},
		"txz":                                  {".TXZ", tarred(t, newXZ), ""},
		"tar.zst":                              {".tar.zst", tarred(t, newZstd), ""},
		"tar.bz2":                              {".tar.bz2", decoded(t, tarBzip2), ""},
		"zip, stored":                          {".zip", zipped(t, zip.Store, nil), ""},
		"zip, deflated":                        {".zip", zipped(t, zip.Deflate, nil), ""},
		"zip, Zstandard":                       {".zip", zipped(t, 93, newZstd), ""},
		"zip, xz":                              {".zip", zipped(t, 95, func(w io.Writer) (io.WriteCloser, error) { return &late{to: w}, nil }), ""},
		"zip, bzip2":                           {".zip", decoded(t, zipBzip2), ""},
		"zip, LZMA":                            {".zip", decoded(t, zipLZMA), "is packed with LZMA, which cannot be read here"},
		"zip, Deflate64":                       {".zip", patched(decoded(t, zipBzip2), 8, 10, 9), "is packed with Deflate64"},
		"zip, unheard of":                      {".zip", patched(decoded(t, zipBzip2), 8, 10, 77), "unsupported compression algorithm"},
		"zip, encrypted":                       {".zip", patched(zipped(t, zip.Store, nil), 6, 8, 9), "is encrypted"},
		"zip, not of its way":                  {".zip", patched(decoded(t, zipLZMA), 8, 10, 95), "cannot be unpacked"},
		"xz, many blocks":                      {".tar.xz", tarred(t, newBlocks), ""},
		"xz, too much memory":                  {".tar.xz", greedy(t, tarred(t, newXZ), 1), "dictionary size exceeds max"},
		"xz, too much memory in a later block": {".tar.xz", greedy(t, tarred(t, newBlocks), 2), "dictionary size exceeds max"},
		"xz, damaged":                          {".tar.xz", tarred(t, newXZ)[:40], "it is not a .tar file that can be read"},
		"gzip of a small file":                 {".gz", gzipped(t, clause), "what is compressed in it is no .tar archive: hand in the files themselves"},
		"gzip of a file":                       {".gz", gzipped(t, strings.Repeat(clause, 100)), "what is compressed in it is no .tar archive: hand in the files themselves"},
		"zstd, damaged":                        {".tar.zst", []byte("no"), "it is not a .tar file that can be read"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "alice"+c.ending)
			require.NoError(t, os.WriteFile(path, c.data, 0o644))
			s, err := read(path)
			require.NoError(t, err)
			if c.refused != "" {
				require.Contains(t, s.Refused, c.refused)
				return
			}
			require.Empty(t, s.Refused)
			require.Equal(t, clause, string(s.Folders[folder].Files["a.go"]))
		})
	}
}

// greedy returns an .xz file in which the n-th block asks for a dictionary of
// 4 GiB. The headers of all blocks are the same, and each is 12 bytes long.
func greedy(t *testing.T, data []byte, n int) []byte {
	const fileHeader, size = 12, 12
	header := data[fileHeader : fileHeader+size]
	require.Equal(t, []byte{2, 0, 0x21, 1}, header[:4], "a header of 12 bytes, one filter: LZMA2")
	changed := bytes.Clone(header)
	changed[4] = 40
	binary.LittleEndian.PutUint32(changed[8:], crc32.ChecksumIEEE(changed[:8]))
	at := 0
	for range n {
		next := bytes.Index(data[at+1:], header)
		require.GreaterOrEqual(t, next, 0)
		at += 1 + next
	}
	return slices.Concat(data[:at], changed, data[at+size:])
}

// packed is an entry of an archive as some program writes it.
type packed struct{ name, text string }

func packs(t *testing.T, entries []packed) map[string][]byte {
	var asZip, asTar bytes.Buffer
	z, w := zip.NewWriter(&asZip), tar.NewWriter(&asTar)
	for _, e := range entries {
		f, err := z.CreateRaw(&zip.FileHeader{Name: e.name, CRC32: crc32.ChecksumIEEE([]byte(e.text)),
			CompressedSize64: uint64(len(e.text)), UncompressedSize64: uint64(len(e.text))})
		require.NoError(t, err)
		_, err = io.WriteString(f, e.text)
		require.NoError(t, err)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: e.name, Size: int64(len(e.text)), Mode: 0o644, Typeflag: tar.TypeReg}))
		_, err = io.WriteString(w, e.text)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.NoError(t, w.Close())
	return map[string][]byte{".zip": asZip.Bytes(), ".tar": asTar.Bytes()}
}

// Right code counts however a program writes folders, and whatever its other files
// are called.
func TestPackers(t *testing.T) {
	for name, c := range map[string]struct {
		entries []packed
		refused string
	}{
		"PowerShell 5.1":                {[]packed{{folder + `\a.go`, clause}, {folder + `\`, ""}}, ""},
		"PowerShell 5.1, folders first": {[]packed{{`work\`, ""}, {`work\` + folder + `\`, ""}, {`work\` + folder + `\a.go`, clause}}, ""},
		"a folder without a slash":      {[]packed{{folder, ""}, {folder + "/a.go", clause}}, ""},
		"and after what is in it":       {[]packed{{folder + "/a.go", clause}, {folder, ""}}, ""},
		"a folder called as a .zip":     {[]packed{{"work.zip", ""}, {"work.zip/" + folder + "/a.go", clause}}, ""},
		"a slash in a Finder's name":    {[]packed{{"x:steps/" + folder + "/a.go", clause}}, ""},
		"a letter and a colon":          {[]packed{{"1: todo.txt", "x"}, {"a: notes.txt", "x"}, {"5:12 work/" + folder + "/a.go", clause}}, ""},
		"solutions before the steps":    {[]packed{{"solutions/" + folder + "/a.go", "x"}, {"steps/" + folder + "/a.go", clause}}, ""},
		"a drive":                       {[]packed{{`C:\course\` + folder + `\a.go`, clause}}, "it holds the absolute path"},
		"a drive with slashes":          {[]packed{{"c:/course/" + folder + "/a.go", clause}}, "it holds the absolute path"},
	} {
		for ending, data := range packs(t, c.entries) {
			t.Run(name+ending, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "alice"+ending)
				require.NoError(t, os.WriteFile(path, data, 0o644))
				s, err := read(path)
				require.NoError(t, err)
				if c.refused != "" {
					require.Contains(t, s.Refused, c.refused)
					return
				}
				require.Empty(t, s.Refused)
				require.Empty(t, s.Notes)
				require.Nil(t, s.Folders[folder].Refused)
				require.Equal(t, clause, string(s.Folders[folder].Files["a.go"]))
			})
		}
	}
}

// Of two files of one path the last counts, as when the archive is unpacked.
func TestOnePathTwice(t *testing.T) {
	for ending, data := range packs(t, []packed{{folder + "/a.go", "package old\n"}, {folder + "/a.go", clause}}) {
		path := filepath.Join(t.TempDir(), "alice"+ending)
		require.NoError(t, os.WriteFile(path, data, 0o644))
		s, err := read(path)
		require.NoError(t, err)
		require.Nil(t, s.Folders[folder].Refused)
		require.Equal(t, clause, string(s.Folders[folder].Files["a.go"]))
		require.Equal(t, []string{folder + "/a.go: it is there more than once; the last one counts, as when the archive is unpacked"}, s.Notes)
	}
}

// An archive is read as what it is, whatever its name says.
func TestWrongEndings(t *testing.T) {
	zip, tgz := zipped(t, zip.Deflate, nil), tarred(t, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	for name, c := range map[string]struct {
		data    []byte
		refused string
	}{
		"a.zip": {tgz, ""}, "b.tar.gz": {zip, ""}, "c.rar": {zip, ""}, "d.7z": {tgz, ""}, "e.tar": {tgz, ""}, "f.gz": {tgz, ""}, "g.tbz2": {decoded(t, tarBzip2), ""},
		"h.zip": {[]byte("Rar!\x1a\x07\x01\x00"), "a .rar file cannot be read here"},
		"i.zip": {[]byte("7z\xbc\xaf\x27\x1c"), "a .7z file cannot be read here"},
		"j.rar": {[]byte("no"), "a .rar file cannot be read here"},
		"k.zip": {[]byte("<html>"), "it is not a .zip file that can be read"},
		"l.txt": {[]byte("no"), "it is neither a folder nor an archive"},
		"m.txt": {zip, ""},
	} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, c.data, 0o644))
		s, err := read(path)
		require.NoError(t, err)
		if c.refused != "" {
			require.Contains(t, s.Refused, c.refused, name)
			continue
		}
		require.Empty(t, s.Refused, name)
		require.Equal(t, clause, string(s.Folders[folder].Files["a.go"]), name)
	}
}

// Of two archives of one name, which programs can put into a third, neither is
// passed over.
func TestTwoArchivesOfOneName(t *testing.T) {
	inner := func(text string) string { return string(packs(t, []packed{{folder + "/a.go", text}})[".zip"]) }
	path := filepath.Join(t.TempDir(), "alice.zip")
	data := packs(t, []packed{{"work.zip", inner(clause)}, {"work.zip", inner(clause + "// new\n")}})[".zip"]
	require.NoError(t, os.WriteFile(path, data, 0o644))
	s, err := read(path)
	require.NoError(t, err)
	require.ErrorContains(t, s.Folders[folder].Refused, "a.go is in two archives of one name, work.zip; which one counts?")
}

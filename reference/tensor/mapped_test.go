package tensor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, data []byte) string {
	path := filepath.Join(t.TempDir(), "numbers.bin")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestMapUint16(t *testing.T) {
	for name, test := range map[string]struct {
		data []byte
		want []uint16
	}{
		"empty":         {nil, nil},
		"one":           {[]byte{7, 0}, []uint16{7}},
		"little-endian": {[]byte{1, 2, 0xff, 0, 0, 0xff, 0xff, 0xff}, []uint16{0x0201, 0xff, 0xff00, 0xffff}},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := MapUint16(write(t, test.data))
			require.NoError(t, err)
			require.Equal(t, len(test.want), u.Len())
			for i, want := range test.want {
				require.Equal(t, want, u.At(i), "number %d", i)
			}
			require.Panics(t, func() { u.At(len(test.want)) })
			require.Panics(t, func() { u.At(-1) })
			require.NoError(t, u.Close())
			require.NoError(t, u.Close(), "a second Close")
			require.Zero(t, u.Len())
			require.Panics(t, func() { u.At(0) })
		})
	}
}

// A sparse file of 64 GiB takes neither disk nor memory to speak of.
func TestMapUint16LargerThanMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a sparse file of 64 GiB")
	}
	path := write(t, []byte{1, 0})
	const size = 64 << 30
	if err := os.Truncate(path, size); err != nil {
		t.Skipf("the file system has no sparse files: %v", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteAt([]byte{2, 1}, size-2)
	require.NoError(t, err)
	require.NoError(t, file.Close())

	u, err := MapUint16(path)
	require.NoError(t, err)
	require.Equal(t, size/2, u.Len())
	require.Equal(t, []uint16{1, 0, 0x0102}, []uint16{u.At(0), u.At(size / 4), u.At(size/2 - 1)})
	require.NoError(t, u.Close())
}

func TestMapUint16Refuses(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.bin")
	odd := write(t, []byte{1, 2, 3})
	folder := t.TempDir()
	for name, test := range map[string]struct{ path, words string }{
		"missing": {missing, missing},
		"odd":     {odd, odd + " has 3 bytes, an odd number"},
		"folder":  {folder, folder + " is not a plain file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := MapUint16(test.path)
			require.ErrorContains(t, err, test.words)
		})
	}
	_, err := MapUint16(missing)
	require.ErrorIs(t, err, os.ErrNotExist)
}

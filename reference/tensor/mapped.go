package tensor

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/edsrzf/mmap-go"
)

// Uint16s is a file of 16-bit numbers, little-endian and nothing else, that is
// mapped into memory: the system reads a page of it when a number on that page
// is asked for, and drops the page when memory is short. A file may therefore
// be far larger than the machine's memory.
type Uint16s struct {
	path  string
	bytes mmap.MMap // 2·Len bytes; nil for an empty file and after Close
}

// MapUint16 maps the file at path for reading. The file must keep its size
// until Close: a program that reads a page which is no longer there is ended by
// the system.
//
// The error names the file if it cannot be opened or mapped, if it is a folder,
// or if its number of bytes is odd.
func MapUint16(path string) (*Uint16s, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the file of numbers cannot be opened: %w", err)
	}
	defer file.Close() // the mapping outlives it
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("the file of numbers cannot be examined: %w", err)
	}
	switch size := info.Size(); {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a plain file", path)
	case size%2 != 0:
		return nil, fmt.Errorf("%s has %d bytes, an odd number; a file of 16-bit numbers has two for each", path, size)
	case size == 0:
		return &Uint16s{path: path}, nil // there is nothing to map, and no system maps nothing
	case int64(int(size)) != size:
		return nil, fmt.Errorf("%s has %d bytes, more than this processor can address", path, size)
	}
	bytes, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be mapped into memory: %w", path, err)
	}
	return &Uint16s{path: path, bytes: bytes}, nil
}

// Len returns how many numbers the file holds.
func (u *Uint16s) Len() int { return len(u.bytes) / 2 }

// At returns number i. It panics if i is not in [0, Len()), as an index of a
// slice does; after Close that is every i.
func (u *Uint16s) At(i int) uint16 { return binary.LittleEndian.Uint16(u.bytes[2*i:]) }

// Close gives the memory back. A second Close does nothing.
func (u *Uint16s) Close() error {
	if u.bytes == nil {
		return nil
	}
	if err := u.bytes.Unmap(); err != nil {
		return fmt.Errorf("%s cannot be unmapped: %w", u.path, err)
	}
	return nil
}

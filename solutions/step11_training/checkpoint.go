package training

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// State is everything that a training run needs to go on as if it had never
// stopped.
type State struct {
	Config lm.Config                 // of the model
	Step   int                       // how many updates were made
	Params map[string]*tensor.Tensor // the state dictionary
	M, V   map[string]*tensor.Tensor // AdamW's two means, by the name of their parameter
	RNG    []byte                    // the generator that draws the batches, from its MarshalBinary
}

// A checkpoint is one file. All numbers are little-endian.
//
//	8 bytes   magic
//	4 bytes   version
//	4 bytes   the length of the header
//	8 bytes   the length of the file
//	          the header, JSON: what the file holds, with the names and shapes of its tensors
//	          the tensors, float32, one after the other in the order of the header
//	32 bytes  SHA-256 of everything before
const (
	magic   = "stubckpt"
	version = 1

	startLength = 24 // bytes before the header
)

// header is the part of a checkpoint that describes the rest.
type header struct {
	Config  lm.Config `json:"config"`
	Step    int       `json:"step"`
	RNG     []byte    `json:"rng"`
	Tensors []entry   `json:"tensors"`
}

// entry describes one tensor of a checkpoint.
type entry struct {
	Group string `json:"group"` // params, m or v
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
}

// groups returns the state's tensors by the name of their group.
func (s *State) groups() map[string]map[string]*tensor.Tensor {
	return map[string]map[string]*tensor.Tensor{"params": s.Params, "m": s.M, "v": s.V}
}

// Save writes a checkpoint to path, whole or not at all: whenever the program
// fails or is killed, path is the old checkpoint or the new one.
func Save(path string, s *State) error {
	h := header{Config: s.Config, Step: s.Step, RNG: s.RNG}
	groups, floats := s.groups(), 0
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		for _, name := range slices.Sorted(maps.Keys(groups[group])) {
			t := groups[group][name]
			h.Tensors = append(h.Tensors, entry{group, name, t.Shape})
			floats += t.Len()
		}
	}
	described, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("the checkpoint %s cannot be written: %w", path, err)
	}
	start := []byte(magic)
	start = binary.LittleEndian.AppendUint32(start, version)
	start = binary.LittleEndian.AppendUint32(start, uint32(len(described)))
	start = binary.LittleEndian.AppendUint64(start, uint64(startLength+len(described)+4*floats+sha256.Size))

	return replaceFile(path, func(file io.Writer) error {
		sum := sha256.New()
		body := io.MultiWriter(file, sum)
		if _, err := body.Write(append(start, described...)); err != nil {
			return err
		}
		for _, e := range h.Tensors {
			if err := writeFloats(body, groups[e.Group][e.Name].Data); err != nil {
				return err
			}
		}
		_, err := file.Write(sum.Sum(nil))
		return err
	})
}

// replaceFile writes a file, whole or not at all. The new content goes to a
// second file beside it and is on the disk before that file takes the name: a
// rename is done or not done, never half.
func replaceFile(path string, write func(io.Writer) error) error {
	temporary := path + ".tmp"
	file, err := os.Create(temporary)
	if err != nil {
		return err
	}
	err = errors.Join(write(file), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err),
			os.Remove(temporary))
	}
	// The new name is safe from a power cut once the folder is on the disk too.
	// Not every system can do that; none is worse off for trying.
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		folder.Sync()
		folder.Close()
	}
	return nil
}

// Load reads a checkpoint. The error says whether the file cannot be read, is
// not a checkpoint, was cut off, or is damaged; a state is returned only if
// every bit is as it was saved.
func Load(path string) (*State, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the checkpoint cannot be opened: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("the checkpoint cannot be examined: %w", err)
	}
	s, err := readState(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return s, nil
}

// readState reads a checkpoint of the given size. Its errors complete a sentence
// that begins with the file's name.
func readState(file io.Reader, size int64) (*State, error) {
	sum := sha256.New()
	body := io.TeeReader(file, sum) // what is read from body is part of the checksum

	start := make([]byte, startLength)
	n, err := io.ReadFull(body, start)
	switch {
	case n < len(magic) || string(start[:len(magic)]) != magic:
		return nil, errors.New("is not a checkpoint: it does not begin like one")
	case err != nil:
		return nil, fmt.Errorf("is cut off: it has only %d bytes", size)
	}
	if v := binary.LittleEndian.Uint32(start[8:]); v != version {
		return nil, fmt.Errorf("is a checkpoint of version %d; this program reads version %d", v, version)
	}
	length, whole := int64(binary.LittleEndian.Uint32(start[12:])), binary.LittleEndian.Uint64(start[16:])
	left := size - startLength - length - sha256.Size // bytes of the tensors
	switch {
	case uint64(size) < whole:
		return nil, fmt.Errorf("is cut off: it has %d of %d bytes", size, whole)
	case uint64(size) > whole || left < 0:
		return nil, errors.New("is damaged: its length is not the one that it names")
	}
	described := make([]byte, length)
	if _, err := io.ReadFull(body, described); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	s, err := readTensors(body, described, left)
	if err != nil {
		return nil, err
	}
	stored := make([]byte, sha256.Size)
	if _, err := io.ReadFull(file, stored); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if string(stored) != string(sum.Sum(nil)) {
		return nil, errors.New("is damaged: its checksum does not match its content")
	}
	return s, nil
}

// readTensors reads what the header describes from the next left bytes.
func readTensors(body io.Reader, described []byte, left int64) (*State, error) {
	var h header
	if err := json.Unmarshal(described, &h); err != nil {
		return nil, fmt.Errorf("is damaged: its header cannot be understood: %w", err)
	}
	s := &State{Config: h.Config, Step: h.Step, RNG: h.RNG,
		Params: map[string]*tensor.Tensor{}, M: map[string]*tensor.Tensor{}, V: map[string]*tensor.Tensor{}}
	groups := s.groups()
	for _, e := range h.Tensors {
		group, floats := groups[e.Group], floatsOf(e.Shape, left/4)
		if floats < 0 {
			return nil, fmt.Errorf("is damaged: %s %s has shape %s, more than the file holds", e.Group, e.Name,
				tensor.ShapeString(e.Shape))
		}
		if left -= 4 * floats; group == nil {
			return nil, fmt.Errorf("is damaged: its header names a tensor %s %s that it does not hold", e.Group, e.Name)
		}
		group[e.Name] = tensor.New(e.Shape...)
		if err := readFloats(body, group[e.Name].Data); err != nil {
			return nil, fmt.Errorf("cannot be read: %w", err)
		}
	}
	if left != 0 {
		return nil, errors.New("is damaged: it holds more than its header describes")
	}
	return s, nil
}

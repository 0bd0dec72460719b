package training

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

type State struct {
	Config lm.Config
	Step   int
	Params map[string]*tensor.Tensor
	M, V   map[string]*tensor.Tensor
	RNG    []byte
}

// A file is: magic, its checksum from here on (32 bytes), the length of the
// numbers and of the description (8 bytes each), numbers, description.
const magic = "right and unlike"

const numbersFrom = len(magic) + sha256.Size + 16

// description is the end of a file, in JSON.
type description struct {
	Config  lm.Config
	Step    int
	RNG     []byte
	Tensors []entry
}

// entry is a tensor whose numbers begin at an offset.
type entry struct {
	Map, Name string
	Shape     []int
	From      int
}

func (s *State) maps() map[string]*map[string]*tensor.Tensor {
	return map[string]*map[string]*tensor.Tensor{"params": &s.Params, "m": &s.M, "v": &s.V}
}

func Save(path string, s *State) error {
	d := description{Config: s.Config, Step: s.Step, RNG: s.RNG}
	var numbers []byte
	for _, kind := range []string{"v", "m", "params"} {
		tensors := *s.maps()[kind]
		for _, name := range slices.Sorted(maps.Keys(tensors)) {
			d.Tensors = append(d.Tensors, entry{kind, name, tensors[name].Shape, len(numbers)})
			for _, x := range tensors[name].Data {
				numbers = binary.BigEndian.AppendUint32(numbers, math.Float32bits(x))
			}
		}
	}
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	var rest []byte
	rest = binary.BigEndian.AppendUint64(rest, uint64(len(numbers)))
	rest = binary.BigEndian.AppendUint64(rest, uint64(len(text)))
	rest = append(append(rest, numbers...), text...)
	sum := sha256.Sum256(rest)
	return place(path, slices.Concat([]byte(magic), sum[:], rest))
}

// place writes a file beside the one that it is to replace, and renames it.
func place(path string, data []byte) error {
	beside := fmt.Sprintf("%s.%x.new", path, sha256.Sum256(data[:64]))[:len(path)+12]
	file, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		os.Remove(beside)
	}
	return err
}

func Load(path string) (*State, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if n := min(len(data), len(magic)); len(data) == 0 || string(data[:n]) != magic[:n] {
		return nil, fmt.Errorf("%s is not a checkpoint", path)
	}
	if len(data) < numbersFrom {
		return nil, fmt.Errorf("%s was cut off", path)
	}
	rest := data[len(magic)+sha256.Size:]
	numbers, text := binary.BigEndian.Uint64(rest), binary.BigEndian.Uint64(rest[8:])
	room := uint64(len(rest) - 16)
	switch sum := sha256.Sum256(rest); {
	case numbers > room || text > room-numbers:
		return nil, fmt.Errorf("%s was cut off or is damaged: it has %d bytes of content and should have %d and %d", path, room, numbers, text)
	case numbers+text != room || !bytes.Equal(sum[:], data[len(magic):len(magic)+sha256.Size]):
		return nil, fmt.Errorf("%s is damaged", path)
	}
	s, err := decode(rest[16:16+numbers], rest[16+numbers:])
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return s, nil
}

func decode(numbers, text []byte) (*State, error) {
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	s := &State{Config: d.Config, Step: d.Step, RNG: d.RNG}
	for _, m := range s.maps() {
		*m = map[string]*tensor.Tensor{}
	}
	for _, e := range d.Tensors {
		m, size := s.maps()[e.Map], 1
		if slices.Contains(e.Shape, 0) {
			size = 0
		}
		for _, n := range e.Shape {
			if n < 0 || n > 0 && size > len(numbers)/n {
				return nil, fmt.Errorf("%s has the shape %v", e.Name, e.Shape)
			}
			size *= n
		}
		if m == nil || e.From < 0 || e.From > len(numbers) || 4*size > len(numbers)-e.From {
			return nil, fmt.Errorf("%s is not in the file", e.Name)
		}
		t := tensor.New(e.Shape...)
		for i := range t.Data {
			t.Data[i] = math.Float32frombits(binary.BigEndian.Uint32(numbers[e.From+4*i:]))
		}
		(*m)[e.Name] = t
	}
	return s, nil
}

package course

import (
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// File is an argument of a function that comes from a reader, or a result that goes to a
// writer, which the binding makes with Args.Reader and Args.Writer.
type File struct {
	Name string
	Own  bool // an error of it comes back as it is: what the contract says
	Rest int  // bytes at the end that a reader may leave: whoever has the } of an object is done
}

// ThroughFiles checks how a function takes its files: readers that give single bytes, or their last
// ones together with io.EOF; readers and writers that fail at the beginning, at the end and
// anywhere between. What it answers to the same file as a whole, other checks ask.
func ThroughFiles(function string, draw func(*Exam) (wire.Values, error), readers, writers []File) func(*Exam) error {
	return func(e *Exam) error {
		in, err := draw(e)
		if err != nil {
			return err
		}
		plain, err := e.Ask(function, in)
		if err != nil {
			return err
		}
		for _, r := range readers {
			story := lang.T("the reader of %s gives single bytes", r.Name)
			if err := e.gives(function, in, plain, r, "single bytes", story); err != nil {
				return err
			}
			story = lang.T("the reader of %s gives its last bytes together with io.EOF", r.Name)
			if err := e.gives(function, in, plain, r, "the last bytes with io.EOF", story); err != nil {
				return err
			}
			if err := e.breaks(function, in, r, in[r.Name].Len()-r.Rest, true); err != nil {
				return err
			}
		}
		for _, w := range writers {
			if err := e.breaks(function, in, w, plain[w.Name].Len()-1, false); err != nil {
				return err
			}
		}
		return nil
	}
}

// gives checks that a reader that gives its bytes in another way makes no difference.
func (e *Exam) gives(function string, in, plain wire.Values, f File, way string, story lang.Text) error {
	asked := With(With(in, "file", wire.String(f.Name)), "file_way", wire.String(way))
	got, err := e.Ask(function, asked)
	if err == nil {
		err = e.Compare(function, asked, got, plain, nil, e.tolerances(function))
	}
	return Told(story, err)
}

// breaks lets a file fail after so many bytes at most, and checks that its error comes back.
func (e *Exam) breaks(function string, in wire.Values, f File, most int, reads bool) error {
	if most < 0 {
		return nil // nothing was written, which is for others to say
	}
	for _, way := range []string{"os.ErrClosed", "io.ErrUnexpectedEOF"} {
		for _, ends := range []int{0, min(1, most), max(most-1, 0), most, e.Rng.IntN(most + 1), e.Rng.IntN(most + 1)} {
			asked := With(With(in, "file", wire.String(f.Name)), "file_way", wire.String(way))
			asked = With(asked, "file_ends", wire.Int(ends))
			out, err := e.Ask(function, asked)
			if err != nil {
				return err
			}
			came := out["came"]
			switch {
			case came.DType != wire.I64 || came.Len() != 1 || came.I64[0] == 0 && reads:
				return e.Fails(function, asked,
					"the reader of %s failed with %s behind byte %d of %d, and no error came back; only io.EOF is the end",
					f.Name, way, ends, most)
			case came.I64[0] == 0:
				return e.Fails(function, asked,
					"the writer of %s failed with %s behind byte %d of %d, and no error came back",
					f.Name, way, ends, most+1)
			case came.I64[0] != 1 && f.Own:
				return e.Fails(function, asked,
					"%s failed with %s behind byte %d of %d, and another error came back; it is to be returned as it is",
					f.Name, way, ends, most)
			}
		}
	}
	return nil
}

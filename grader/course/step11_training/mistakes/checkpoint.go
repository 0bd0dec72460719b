//go:build mistake

package training

// checkpoint-without-means: the checkpoint does not hold AdamW's means
//
// Why: Parameters alone are enough to use a model, but not to go on training it: the means would
// begin at 0 again.
//
// Hint: Save M and V beside the parameters.
func Save() {
	if right {
		for _, group := range slices.Sorted(maps.Keys(groups)) {
			for _, name := range slices.Sorted(maps.Keys(groups[group])) {
				t := groups[group][name]
				h.Tensors = append(h.Tensors, entry{group, name, t.Shape})
				floats += t.Len()
			}
		}
	} else {
		for _, group := range []string{"params"} {
			for _, name := range slices.Sorted(maps.Keys(groups[group])) {
				t := groups[group][name]
				h.Tensors = append(h.Tensors, entry{group, name, t.Shape})
				floats += t.Len()
			}
		}
	}
}

// checkpoint-without-v: the checkpoint holds the mean of the gradient, but not that of its square
//
// Why: Without v every step would have the wrong length.
//
// Hint: Save both means of AdamW.
func Save() {
	if right {
		for _, group := range slices.Sorted(maps.Keys(groups)) {
			for _, name := range slices.Sorted(maps.Keys(groups[group])) {
				t := groups[group][name]
				h.Tensors = append(h.Tensors, entry{group, name, t.Shape})
				floats += t.Len()
			}
		}
	} else {
		for _, group := range []string{"params", "m"} {
			for _, name := range slices.Sorted(maps.Keys(groups[group])) {
				t := groups[group][name]
				h.Tensors = append(h.Tensors, entry{group, name, t.Shape})
				floats += t.Len()
			}
		}
	}
}

// checkpoint-without-step: the checkpoint does not hold the number of updates
//
// Why: The schedule and the bias correction need it.
//
// Hint: Save State.Step.
func Save() {
	if right {
		h := header{Config: s.Config, Step: s.Step, RNG: s.RNG}
	} else {
		h := header{Config: s.Config, RNG: s.RNG}
	}
}

// checkpoint-without-generator: the checkpoint does not hold the random generator's state
//
// Why: A resumed run would see the first batches once more.
//
// Hint: Save State.RNG.
func Save() {
	if right {
		h := header{Config: s.Config, Step: s.Step, RNG: s.RNG}
	} else {
		h := header{Config: s.Config, Step: s.Step}
	}
}

// checkpoint-without-config: the checkpoint does not hold the model's configuration
//
// Why: Shapes do not tell everything: the number of heads and RoPE's Θ are in no shape.
//
// Hint: Save State.Config.
func Save() {
	if right {
		h := header{Config: s.Config, Step: s.Step, RNG: s.RNG}
	} else {
		h := header{Step: s.Step, RNG: s.RNG}
	}
}

// written-in-place: the new checkpoint is written into the old one's file
//
// Why: If the program is killed meanwhile, the old checkpoint is gone and the new one is not
// whole.
//
// Hint: Write another file in the same folder, Sync, Close, and os.Rename it.
func replaceFile() {
	if right {
		temporary := path + ".tmp"
	} else {
		temporary := path
	}
}

// not-renamed: the checkpoint is written to a second file that is never renamed
//
// Why: The rename is what makes the new file the checkpoint.
//
// Hint: os.Rename(temporary, path) when everything is on the disk.
func replaceFile() {
	if right {
		err = os.Rename(temporary, path)
	} else {
		_, err = os.Stat(temporary)
	}
}

// checksum-not-checked: the checksum is not compared when a checkpoint is loaded
//
// Why: A wrong bit in a weight is a number like any other. Without a checksum the training goes on
// with it.
//
// Hint: Compute the hash of what you read, and compare it with the one at the end.
func readState() {
	if right {
		if string(stored) != string(sum.Sum(nil)) {
			return nil, errors.New("is damaged: its checksum does not match its content")
		}
	} else {
		if len(stored) != sha256.Size {
			return nil, errors.New("is damaged: its checksum does not match its content")
		}
	}
}

// file-longer-than-header: the buffer is not emptied between two parts of a tensor
//
// Why: Small tensors pass through the buffer at once and are right. A large one is written with
// repetitions.
//
// Hint: Begin each part with buffer[:0].
func writeFloats() {
	if right {
		buffer = buffer[:0]
	} else {
	}
}

// halves-precision: the checkpoint stores numbers in 16 bits (bfloat16)
//
// Why: A run that goes on from rounded numbers is another run. Rounding is for the finished model,
// not for the way there.
//
// Hint: Store all 32 bits: math.Float32bits.
func writeFloats() {
	if right {
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(f))
	} else {
		buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(f)&^0xffff)
	}
}

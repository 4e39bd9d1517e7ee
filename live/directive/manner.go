package directive

// Manner is what a script says of the command that hands it in, as that would on its command
// line: sbatch reads such lines, too.
type Manner struct {
	Parsable, Wait, TestOnly bool
}

const itself = "it is for sbatch itself"

// manner sets a part of it; to who is not sbatch it is a note.
func manner(note string, set func(*Manner)) func(o *occurrence) error {
	return func(o *occurrence) error {
		if !o.sbatch {
			o.note(note)
			return nil
		}
		set(&o.Manner)
		return nil
	}
}

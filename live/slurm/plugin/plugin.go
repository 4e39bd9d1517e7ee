package plugin

import (
	_ "embed" // the sources are handed out as they are
	"errors"
	"os"
	"path/filepath"
)

// Spank is the source of libra_spank.so. One line of gcc makes it: it is in the text.
//
//go:embed source/libra_spank.c
var Spank []byte

// The files that [Write] makes.
const (
	SpankFile = "libra_spank.c"
	DoorFile  = "job_submit.lua"
	KeyFile   = "libra-door.key"
)

// What a job's script and the SPANK plugin tell each other in its environment.
const (
	// StepsVariable is there for the plugin to set: yes, it tells srun what the script says in
	// variables that begin with StepPrefix.
	StepsVariable = "LIBRA_STEPS"
	StepPrefix    = "LIBRA_STEP_"
)

// Write puts the sources into a directory, and a new key for the door if there is
// none yet. The key is for root alone: it must be given to slurmctld's user too.
func Write(dir string, s DoorSettings) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	script, err := DoorScript(s)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, SpankFile), Spank, 0o644),
		os.WriteFile(filepath.Join(dir, DoorFile), script, 0o644),
		writeKey(filepath.Join(dir, KeyFile)),
	)
}

func writeKey(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil // a key in use is not replaced
	}
	if err != nil {
		return err
	}
	_, err = file.Write(NewKey())
	return errors.Join(err, file.Close())
}

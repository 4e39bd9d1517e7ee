package plugin

import (
	_ "embed" // the door is a file of Lua
	"errors"
	"fmt"
	"regexp"
	"strings"
)

//go:embed source/job_submit.lua
var door string

// DoorSettings are what a site decides about the door of its partitions.
type DoorSettings struct {
	Partitions []string // that are Libra's; none: "libra"
	KeyFile    string   // as slurmctld sees it; none: /etc/slurm/libra-door.key
	Hold       bool     // jobs that did not come through Libra are held, not refused
	Offer      bool     // they are held until the market has told them their price, and they say what they may cost
}

// ErrDoorSettings says that a site's wishes cannot be written into the door.
var ErrDoorSettings = errors.New("settings of the door")

const (
	settingsBegin = "-- settings:"
	settingsEnd   = "-- end of settings\n"

	defaultPartition = "libra"
	defaultKeyFile   = "/etc/slurm/libra-door.key"
)

// plainName is what partitions and files may be called: nothing that ends a text in
// Lua, and nothing that Slurm takes for a list.
var plainName = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)

// DoorScript is job_submit.lua for a site.
func DoorScript(s DoorSettings) ([]byte, error) {
	if len(s.Partitions) == 0 {
		s.Partitions = []string{defaultPartition}
	}
	if s.KeyFile == "" {
		s.KeyFile = defaultKeyFile
	}
	for _, name := range append([]string{s.KeyFile}, s.Partitions...) {
		if !plainName.MatchString(name) {
			return nil, fmt.Errorf("%w: %q is neither a partition nor a path", ErrDoorSettings, name)
		}
	}
	before, rest, ok := strings.Cut(door, settingsBegin)
	explanation, rest, ok2 := strings.Cut(rest, "\n")
	_, after, ok3 := strings.Cut(rest, settingsEnd)
	if !ok || !ok2 || !ok3 {
		return nil, fmt.Errorf("%w: the source has no place for them", ErrDoorSettings)
	}
	var names []string
	for _, name := range s.Partitions {
		names = append(names, fmt.Sprintf("[%q] = true", name))
	}
	settings := fmt.Sprintf("local PARTITIONS = { %s }\nlocal KEY_FILE = %q\nlocal HOLD = %t\nlocal OFFER = %t\n", strings.Join(names, ", "), s.KeyFile, s.Hold, s.Offer)
	return []byte(before + settingsBegin + explanation + "\n" + settings + settingsEnd + after), nil
}

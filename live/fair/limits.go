package fair

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits are what one party may take. 0 is no limit.
type Limits struct {
	Commands      float64 // a second: what changes something
	CommandsBurst float64 // at once, after a rest
	Reads         float64 // a second: what only looks
	ReadsBurst    float64
	UploadKB      float64 // a second: what is sent in bodies of commands
	UploadBurstKB float64

	CommandsAtOnce int     // commands under way; others of the party wait
	ReadsAtOnce    int     // reads under way; others of the party wait
	ReadsBusy      float64 // processors that reads of one party keep busy in the long run, when they crowd
	Waiting        int     // calls that wait for others of the party
	Streams        int     // followed at a time: events, output, pages
	BodiesKB       int     // of bodies that are being read or worked on
	AllBodiesKB    int     // of all parties together

	Jobs   int // held, waiting and running
	KeptMB int // of scripts, arguments and environments of these jobs
	// NeverBegun is how many jobs within an hour may have been given processors and
	// never have begun: they keep room from others, and owe nothing.
	NeverBegun int
	Queue      int // calls of one party in the inbox of the controller

	// Hold is how long a call over a rate is kept waiting for its refusal: who does
	// not wait by themselves wait here, and cost less.
	Hold time.Duration

	// Exempt lists users to whom rates and numbers of jobs do not apply, as they do
	// not to owners of the market. Turns are for all.
	Exempt []string
}

// Default is generous: a person with a few scripts does not meet these, and a
// program that does is told so.
func Default() Limits {
	return Limits{
		Commands: 20, CommandsBurst: 100, Reads: 200, ReadsBurst: 1000, UploadKB: 256, UploadBurstKB: 64 << 10,
		CommandsAtOnce: 8, ReadsAtOnce: 2, ReadsBusy: 0.5, Waiting: 64, Streams: 64, BodiesKB: 32 << 10, AllBodiesKB: 256 << 10,
		Jobs: 5000, KeptMB: 256, NeverBegun: 200, Queue: 256, Hold: 250 * time.Millisecond,
	}
}

// setting is one limit by its name.
type setting struct {
	name string
	at   func(*Limits) any
}

// settings lists the limits, in the order of documents.
var settings = []setting{
	{"commands", func(l *Limits) any { return &l.Commands }},
	{"commands_burst", func(l *Limits) any { return &l.CommandsBurst }},
	{"reads", func(l *Limits) any { return &l.Reads }},
	{"reads_burst", func(l *Limits) any { return &l.ReadsBurst }},
	{"upload_kb", func(l *Limits) any { return &l.UploadKB }},
	{"upload_burst_kb", func(l *Limits) any { return &l.UploadBurstKB }},
	{"commands_at_once", func(l *Limits) any { return &l.CommandsAtOnce }},
	{"reads_at_once", func(l *Limits) any { return &l.ReadsAtOnce }},
	{"reads_busy", func(l *Limits) any { return &l.ReadsBusy }},
	{"waiting", func(l *Limits) any { return &l.Waiting }},
	{"streams", func(l *Limits) any { return &l.Streams }},
	{"bodies_kb", func(l *Limits) any { return &l.BodiesKB }},
	{"all_bodies_kb", func(l *Limits) any { return &l.AllBodiesKB }},
	{"jobs", func(l *Limits) any { return &l.Jobs }},
	{"kept_mb", func(l *Limits) any { return &l.KeptMB }},
	{"never_begun", func(l *Limits) any { return &l.NeverBegun }},
	{"queue", func(l *Limits) any { return &l.Queue }},
	{"hold", func(l *Limits) any { return &l.Hold }},
	{"exempt", func(l *Limits) any { return &l.Exempt }},
}

// Names lists the limits.
func Names() []string {
	var names []string
	for _, s := range settings {
		names = append(names, s.name)
	}
	return names
}

// ErrSetting says that a setting makes no sense.
var ErrSetting = errors.New("not a limit")

// Set sets a limit as it is written in files and flags.
func (l *Limits) Set(name, value string) error {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.name == name })
	if i < 0 {
		return fmt.Errorf("%w: %q (there are %s)", ErrSetting, name, strings.Join(Names(), ", "))
	}
	switch at := settings[i].at(l).(type) {
	case *float64:
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || !(n >= 0 && n <= 1e9) {
			return fmt.Errorf("%w: %s: want 0 (none) or more, not %q", ErrSetting, name, value)
		}
		*at = n
	case *int:
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 1e9 {
			return fmt.Errorf("%w: %s: want 0 (none) or more, not %q", ErrSetting, name, value)
		}
		*at = n
	case *time.Duration:
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 || d > 10*time.Second {
			return fmt.Errorf("%w: %s: want 0s to 10s, not %q", ErrSetting, name, value)
		}
		*at = d
	case *[]string:
		*at = nil
		for user := range strings.SplitSeq(value, ",") {
			if user = strings.TrimSpace(user); user != "" {
				*at = append(*at, user)
			}
		}
	}
	return nil
}

// Free reports whether rates and numbers of jobs do not apply to a user.
func (l *Limits) Free(user string) bool { return slices.Contains(l.Exempt, user) }

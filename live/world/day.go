package world

import (
	"time"

	v1 "github.com/libra-market/libra/client/v1"
)

// Day is all that happens from outside in one run: plain data.
type Day struct {
	Seed     uint64        `json:"seed"`
	Policy   string        `json:"policy"`
	Lease    time.Duration `json:"lease"`
	Report   time.Duration `json:"report"`
	Snapshot int           `json:"snapshot"` // every so many commands
	Standby  bool          `json:"standby"`  // there is a second controller
	Exact    bool          `json:"exact"`    // programs take what was estimated
	Lose     float64       `json:"lose"`     // of what is sent
	Repeat   float64       `json:"repeat"`   // of what is asked
	Slurm    bool          `json:"slurm"`    // it runs the jobs, not agents
	Long     time.Duration `json:"long"`     // until nothing more is asked and nothing more breaks
	Nodes    []Node        `json:"nodes"`
	Deeds    []Deed        `json:"deeds"`
	Faults   []Fault       `json:"faults"`
}

// Node is a machine.
type Node struct {
	CPUs   int     `json:"cpus"`
	Speed  float64 `json:"speed"`
	SkewMS int64   `json:"skew_ms"` // of its clock
}

// Deed is what a user does, once: a job, and what it is really like.
type Deed struct {
	At   time.Duration `json:"at"`
	User string        `json:"user"`
	Kind string        `json:"kind"`

	Request v1.Request `json:"request"`
	Seconds float64    `json:"seconds"` // processor time on each processor at rating 1
	Refines float64    `json:"refines"` // the same of what is optional
	Hungry  float64    `json:"hungry"`  // the part of what it is given that it takes
	Exit    int        `json:"exit"`
	Refuse  bool       `json:"refuse"` // there is no such program
	ObeysMS int64      `json:"obeys"`  // after SIGTERM; negative: it does not

	After time.Duration `json:"after"` // of cancel: after the answer
	Raw   string        `json:"raw"`   // of what is absurd: a body
	Path  string        `json:"path"`
}

// What users do.
const (
	submits = "submit" // a job
	quotes  = "quote"  // a quote, and a job on it
	squats  = "squat"  // a quote that is never taken
	cancels = "cancel" // a job, and takes it back
	sends   = "send"   // money
	absurd  = "absurd" // a request that nobody should make
	nothing = "nothing"
)

// Fault is what breaks.
type Fault struct {
	At   time.Duration `json:"at"`
	Kind string        `json:"kind"`
	Node int           `json:"node"` // -1: the controller that leads
	For  time.Duration `json:"for"`

	// Copied is of an old backup that is put back by copying files to where nothing says
	// that there was more: it has the name that it had.
	Copied bool `json:"copied,omitempty"`
}

// What breaks.
const (
	crashes    = "crash"     // a controller, or the agent of a node, is killed and started again
	stops      = "stop"      // a controller is told to end, and started again
	powerless  = "power"     // a node loses its power
	pauses     = "pause"     // everything on the host stands still
	partitions = "partition" // a node and the controllers do not hear each other
	deafens    = "deaf"      // a node hears nothing of the controllers; they hear it
	mutes      = "mute"      // the other way round
	stepsOn    = "step on"   // a clock is set forward
	stepsBack  = "step back" // and back
	fills      = "full"      // the disk
	unsure     = "uncertain" // the store does not say whether it has written
	restores   = "restore"   // an old backup
	upgrades   = "upgrade"   // another policy from the next start on

	slurmDies   = "slurmctld"   // is killed, and is back after two seconds
	slurmFails  = "slurm node"  // a node of Slurm fails with what runs there
	slurmDrains = "slurm drain" // a node of Slurm takes nothing new
	slurmLoses  = "slurm calls" // Slurm's commands hang, and their answers are lost
)

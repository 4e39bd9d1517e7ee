package spec

import (
	"maps"
	"slices"
	"time"

	"github.com/libra-market/libra/core/market"
)

// Job is a job as its user wrote it, with the defaults filled in. Start from
// [DefaultJob] to make one in a program: in the zero value even the budget is
// zero.
type Job struct {
	Details   Details
	Resources Resources
	QoS       QoS
	Optimise  market.Objective

	// Extra holds the segments not known here, by name. Their values are those
	// of encoding/json: string, bool, nil, []any and map[string]any, with
	// numbers as json.Number, because an amount of money may be among them. A
	// number that JSON cannot write (0644, 1_000, .inf) is kept as its text.
	Extra map[string]any
}

// Details says what the job is (segment JobDetails).
type Details struct {
	Name     string
	User     market.Account
	Estimate market.Work // mandatory work on each processor
	Optional market.Work // further work on each processor that may be cut short

	// Command is the program and its arguments. One text instead of a list is
	// a line for the shell and is read as sh, -c and that line.
	Command []string
}

// Resources says what the job needs (segment ResourceRequirements).
type Resources struct {
	Processors int32
	Memory     int64 // MB on each processor
	Disk       int64 // MB on each processor
	GPUs       int32 // of each processor
	GPUKind    string
}

// QoS says what the job is worth and when it must be done (segment
// QoSConstraints).
type QoS struct {
	Deadline market.Time // from submission; market.Never: none
	Soft     bool
	Budget   market.Price // market.Unlimited: none
	Penalty  market.Price // for each second after the deadline
}

// DefaultJob is what a user asks for who says nothing: one processor, no
// deadline, any price.
func DefaultJob() Job {
	return Job{
		Resources: Resources{Processors: 1},
		QoS:       QoS{Deadline: market.Never, Budget: market.Unlimited},
	}
}

// table is how a job is written. Only the estimate has no sensible default.
func (j *Job) table() table { return j.tableAt(time.Time{}) }

// tableAt is how it is read at a time, which deadlines can count from.
func (j *Job) tableAt(now time.Time) table {
	return table{
		{name: "details", value: table{
			{name: "name", value: text(&j.Details.Name)},
			{name: "user", value: text(&j.Details.User)},
			{name: "command", value: command(&j.Details.Command)},
			{name: "runtime_estimate", value: seconds(&j.Details.Estimate), required: true},
			{name: "optional_work", value: seconds(&j.Details.Optional)},
		}},
		{name: "resources", value: table{
			{name: "processors", value: whole(&j.Resources.Processors, market.MaxWidth)},
			{name: "memory", value: megabytes(&j.Resources.Memory)},
			{name: "disk", value: megabytes(&j.Resources.Disk)},
			{name: "gpus", value: gpus(&j.Resources.GPUKind, &j.Resources.GPUs)},
		}},
		{name: "qos", value: table{
			{name: "deadline", value: orWord("none", market.Never, &j.QoS.Deadline, deadline(&j.QoS.Deadline, now))},
			{name: "deadline_type", value: words(&j.QoS.Soft, word[bool]{"hard", false}, word[bool]{"soft", true})},
			{name: "budget", value: orWord("unlimited", market.Unlimited, &j.QoS.Budget, amount(&j.QoS.Budget))},
			{name: "penalty_rate", value: number(&j.QoS.Penalty)},
		}},
		{name: "optimise", value: words(&j.Optimise,
			word[market.Objective]{"cheapest", market.Cheapest}, word[market.Objective]{"fastest", market.Fastest})},
	}
}

// Market is the job as the market knows it. Its number, its time of submission
// and its class are the cluster's to give; its command and its extra segments
// mean nothing to the market.
func (j *Job) Market() (market.Job, error) {
	if err := j.Validate(); err != nil {
		return market.Job{}, err
	}
	return j.market(), nil
}

func (j *Job) market() market.Job {
	return market.Job{
		Name:     j.Details.Name,
		Owner:    j.Details.User,
		Estimate: j.Details.Estimate,
		Optional: j.Details.Optional,
		Width:    j.Resources.Processors,
		Memory:   j.Resources.Memory,
		Disk:     j.Resources.Disk,
		GPUs:     j.Resources.GPUs,
		GPUKind:  j.Resources.GPUKind,
		SLA: market.SLA{
			Deadline: j.QoS.Deadline,
			Soft:     j.QoS.Soft,
			Budget:   j.QoS.Budget,
			Penalty:  j.QoS.Penalty,
		},
		Objective: j.Optimise,
	}
}

// FromJob is the specification that asks for the given job.
func FromJob(j market.Job) Job {
	return Job{
		Details: Details{
			Name:     j.Name,
			User:     j.Owner,
			Estimate: j.Estimate,
			Optional: j.Optional,
		},
		Resources: Resources{Processors: j.Width, Memory: j.Memory, Disk: j.Disk, GPUs: j.GPUs, GPUKind: j.GPUKind},
		QoS: QoS{
			Deadline: j.SLA.Deadline,
			Soft:     j.SLA.Soft,
			Budget:   j.SLA.Budget,
			Penalty:  j.SLA.Penalty,
		},
		Optimise: j.Objective,
	}
}

// extras names the extra segments in the order in which they are written.
func (j *Job) extras() []string { return slices.Sorted(maps.Keys(j.Extra)) }

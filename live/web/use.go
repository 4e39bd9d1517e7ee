package web

import (
	"fmt"

	"github.com/libra-market/libra/client/v1"
)

// use is what a job took of its nodes, by what they measured.
type use struct {
	UsedMS     int64 // processor time
	GrantedMS  int64 // what was its for the taking: what it used, and what it declined
	DeclinedMS int64
	PeakMB     int64 // memory of the task that took most
	Measured   bool
}

// Use is what the tasks of the job took together.
func (v *jobView) Use() use {
	var u use
	var cpu, declined int64
	for i := range v.Tasks {
		t := &v.Tasks[i]
		cpu, declined = cpu+t.CPUUS, declined+t.DeclinedUS
		u.PeakMB = max(u.PeakMB, t.PeakMB())
	}
	u.Measured = len(v.Tasks) > 0
	u.UsedMS, u.DeclinedMS, u.GrantedMS = cpu/1000, declined/1000, (cpu+declined)/1000
	return u
}

// TookMS is how long it ran, or has run by now.
func (v *jobView) TookMS() int64 {
	until := v.EndedUS
	if until == 0 {
		until = v.NowUS
	}
	return max(0, until-v.Begun()) / 1000
}

// Ends are how its tasks ended, in words, each way once.
func (v *jobView) Ends() []string {
	var all []string
	seen := map[string]int{}
	for i := range v.Tasks {
		text := endWords(&v.Tasks[i])
		if text == "" {
			continue
		}
		if seen[text]++; seen[text] == 1 {
			all = append(all, text)
		}
	}
	if len(v.Tasks) > 1 {
		for i, text := range all {
			all[i] = fmt.Sprintf("%s: %s", plural(seen[text], "task", "tasks"), text)
		}
	}
	return all
}

// endWords say how a task ended; "": it has not.
func endWords(t *v1.TaskStatus) string {
	switch {
	case t.OOM:
		return "it wanted more memory than it had, and was ended"
	case t.Error != "":
		return t.Error
	case t.Signal != "":
		return "a signal ended it (" + t.Signal + ")"
	case t.State != v1.TaskEnded:
		return ""
	case len(t.Elements) > 0:
		return "its elements say how they ended"
	case t.Exit == 0:
		return "by itself, without an error (exit status 0)"
	case t.Exit == 126:
		return "a command in it could not be run (exit status 126)"
	case t.Exit == 127:
		return "a command in it was not found (exit status 127)"
	default:
		return fmt.Sprintf("by itself, with an error (exit status %d)", t.Exit)
	}
}

// Command is what it runs, as it can be typed.
func (v *jobView) Command() string {
	words := quoted(v.Request.Argv)
	if v.Request.Script == "" || words == "" {
		return words
	}
	return "the script with " + words
}

package client

import "strings"

// faulty is an answer of slurmrestd: all of them may carry faults.
type faulty interface{ faults() faultList }

// fault is an error, or a note, in an answer.
type fault struct {
	Description string `json:"description"`
	Number      int64  `json:"error_number"`
	Code        int64  `json:"error_code"` // what some versions call the number
	Error       string `json:"error"`
}

func (f fault) number() int64 {
	if f.Number != 0 {
		return f.Number
	}
	return f.Code
}

type faultList []fault

// The numbers of Slurm's errors (slurm_errno.h) that mean something here.
const (
	noteHeld      = 2042 // accepted: the job is held
	noteNodesBusy = 2016 // accepted: nodes are busy now
	noteNodesAway = 2068 // accepted: nodes are down, drained or reserved now

	jobUnknown  = 2017
	jobOver     = 2021
	jobFinished = 2084

	jobTransition = 2020 // the job is changing state
	tooManyJobs   = 2007 // there is no room for another job
	standby       = 2027 // another slurmctld is in charge
	standbyOther  = 2131
	closed        = 2105 // submissions are disabled
	needRestart   = 2049

	nothingFound = 9003 // in place of an empty list

	refusalsFrom, refusalsTo       = 2000, 3000
	parseErrorsFrom, parseErrorsTo = 9000, 9400
)

func (f fault) note() bool {
	switch f.number() {
	case noteHeld, noteNodesAway, noteNodesBusy, nothingFound:
		return true
	default:
		return f.number() == 0 && f.Error == "" && f.Description == ""
	}
}

// serious reports whether there is more than notes.
func (l faultList) serious() bool {
	for _, f := range l {
		if !f.note() {
			return true
		}
	}
	return false
}

// refusal reports whether slurmctld, or slurmrestd for it, has looked at what was
// asked and said no. All else is an accident, after which nobody knows.
func (l faultList) refusal() bool {
	refused := false
	for _, f := range l {
		switch n := f.number(); {
		case f.note():
		case n == jobTransition, n == standby, n == standbyOther, n == tooManyJobs, n == closed, n == needRestart:
			return false // not now
		case n >= refusalsFrom && n < refusalsTo, n >= parseErrorsFrom && n < parseErrorsTo:
			refused = true
		case n >= 1000:
			return false // between slurmrestd and slurmctld
		}
	}
	return refused
}

// over reports whether the job in question has ended, or is not known.
func (l faultList) over() bool {
	for _, f := range l {
		if n := f.number(); n == jobUnknown || n == jobOver || n == jobFinished {
			return true
		}
	}
	return false
}

func (l faultList) said() string {
	var texts []string
	for _, f := range l {
		switch {
		case f.note():
		case f.Description != "" && f.Error != "" && f.Description != f.Error: // what it did, and why not
			texts = append(texts, f.Description+": "+f.Error)
		case f.Description != "":
			texts = append(texts, f.Description)
		case f.Error != "":
			texts = append(texts, f.Error)
		}
	}
	if len(texts) == 0 {
		return "it does not say why"
	}
	return oneLine(strings.Join(texts, "; "))
}

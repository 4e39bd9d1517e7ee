package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/live/hostlist"
)

// number is one of a number, {"set": true, "number": 5}, and nothing at all. What is
// not set, or infinite, is 0.
type number int64

// UnmarshalJSON reads all ways to say a number.
func (n *number) UnmarshalJSON(text []byte) error {
	*n = 0
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		var object struct {
			Set      bool         `json:"set"`
			Infinite bool         `json:"infinite"`
			Number   *json.Number `json:"number"`
		}
		if err := json.Unmarshal(text, &object); err != nil {
			return err
		}
		if !object.Set || object.Infinite || object.Number == nil {
			return nil
		}
		text = []byte(*object.Number)
	}
	if string(text) == "null" {
		return nil
	}
	var plain int64
	if err := json.Unmarshal(text, &plain); err != nil {
		return err
	}
	*n = number(plain)
	return nil
}

// words is one of a word, a list of words, and nothing at all.
type words []string

// UnmarshalJSON reads all ways to say words.
func (w *words) UnmarshalJSON(text []byte) error {
	*w = nil
	var one string
	if json.Unmarshal(text, &one) == nil {
		if one != "" {
			*w = words{one}
		}
		return nil
	}
	var many []string
	if err := json.Unmarshal(text, &many); err != nil {
		return err
	}
	*w = many
	return nil
}

// hosts is a list of hosts, short or long.
func (w words) hosts() ([]string, error) { return hostlist.Expand(strings.Join(w, ",")) }

// status is how a process ended: the number that wait(2) tells, or an object.
type status struct{ code, signal int }

// UnmarshalJSON reads both ways.
func (s *status) UnmarshalJSON(text []byte) error {
	*s = status{}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		var n number
		if err := json.Unmarshal(text, &n); err != nil {
			return err
		}
		s.code, s.signal = exitOf(int64(n))
		return nil
	}
	var object struct {
		Return number `json:"return_code"`
		Signal struct {
			ID     number `json:"id"`
			Number number `json:"signal_id"` // as the first of the generation called it
		} `json:"signal"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	s.code, s.signal = int(object.Return), int(max(object.Signal.ID, object.Signal.Number))
	return nil
}

type plainAnswer struct {
	Errors faultList `json:"errors"`
}

func (a *plainAnswer) faults() faultList { return a.Errors }

type submitAnswer struct {
	plainAnswer
	JobID  number `json:"job_id"`
	Result struct {
		JobID number `json:"job_id"`
	} `json:"result"`
}

func (a *submitAnswer) id() int64 { return int64(max(a.JobID, a.Result.JobID)) }

// UnmarshalJSON looks for the number of the new job first: where there is one,
// nothing else matters, and to read all of the answer takes several times as long.
// In quotes and before a colon job_id is a name and not part of a text, in which
// quotes would be escaped.
func (a *submitAnswer) UnmarshalJSON(text []byte) error {
	const name = `"job_id"`
	for rest := text; ; {
		at := bytes.Index(rest, []byte(name))
		if at < 0 {
			break
		}
		rest = bytes.TrimLeft(rest[at+len(name):], " \t\r\n:")
		digits := rest[:len(rest)-len(bytes.TrimLeft(rest, "0123456789"))]
		if id, err := strconv.ParseInt(string(digits), 10, 64); err == nil && id > 0 {
			a.JobID = number(id)
			return nil
		}
	}
	type all submitAnswer
	return json.Unmarshal(text, (*all)(a))
}

type pingAnswer struct {
	plainAnswer
	Pings []struct {
		Ping       string `json:"ping"`
		Pinged     string `json:"pinged"`
		Responding bool   `json:"responding"`
	} `json:"pings"`
}

func (a *pingAnswer) up() bool {
	for _, p := range a.Pings {
		if p.Ping == "UP" || p.Pinged == "UP" || p.Responding {
			return true
		}
	}
	return false
}

type jobsAnswer struct {
	plainAnswer
	Jobs *[]restJob `json:"jobs"` // nil: there is no list, which is not an empty one
}

type restJob struct {
	ID        number `json:"job_id"`
	Name      string `json:"name"`
	Comment   string `json:"comment"`
	User      string `json:"user_name"`
	Partition string `json:"partition"`
	State     words  `json:"job_state"`
	Reason    string `json:"state_reason"`
	Nodes     words  `json:"nodes"`
	Wanted    words  `json:"required_nodes"`
	Priority  number `json:"priority"`
	Hold      *bool  `json:"hold"` // what newer versions say beside the priority
	Submitted number `json:"submit_time"`
	Started   number `json:"start_time"`
	Ended     number `json:"end_time"`
	Suspended number `json:"suspend_time"` // or resumed, last
	Ran       number `json:"pre_sus_time"` // until then
	Exit      status `json:"exit_code"`
}

// read reads the jobs of a partition, as of now.
func (a *jobsAnswer) read(partition string, now int64) ([]Job, error) {
	if err := a.Errors.error(); err != nil {
		return nil, err
	}
	if a.Jobs == nil {
		return nil, fmt.Errorf("%w: no list of jobs in the answer", ErrAway)
	}
	var jobs []Job
	for _, from := range *a.Jobs {
		if len(among(partition, strings.Split(from.Partition, ","))) == 0 {
			continue
		}
		j := Job{
			ID: int64(from.ID), Name: from.Name, Comment: from.Comment, User: from.User,
			State: stateOf(from.State), Reason: from.Reason,
			Submitted: int64(from.Submitted), Started: int64(from.Started), Ended: int64(from.Ended),
			Exit: from.Exit.code, Signal: from.Exit.signal,
		}
		var err, err2 error
		j.Nodes, err = from.Nodes.hosts()
		j.Wanted, err2 = from.Wanted.hosts()
		if err != nil || err2 != nil || j.ID <= 0 {
			return nil, fmt.Errorf("%w: %w: job %d", ErrAway, errListing, j.ID)
		}
		j.normalise(from.held())
		if from.Suspended > 0 {
			j.pausedBut(from.ran(&j, now), now)
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// ran is for how many seconds it has, as of now.
func (j *restJob) ran(job *Job, now int64) int64 {
	switch {
	case job.State == Suspended:
		return int64(j.Ran)
	case job.Ended > 0:
		return int64(j.Ran) + job.Ended - int64(j.Suspended)
	default:
		return int64(j.Ran) + now - int64(j.Suspended)
	}
}

func (j *restJob) held() bool {
	if j.Hold != nil {
		return *j.Hold
	}
	return j.Priority == 0
}

type nodesAnswer struct {
	plainAnswer
	Nodes *[]restNode `json:"nodes"`
}

type restNode struct {
	Name       string `json:"name"`
	State      words  `json:"state"`
	Flags      words  `json:"state_flags"` // beside the state, in the first generation
	Reason     string `json:"reason"`
	Processors number `json:"cpus"`
	Memory     number `json:"real_memory"`
	Boot       number `json:"boot_time"`
	Slurmd     number `json:"slurmd_start_time"`
	Partitions words  `json:"partitions"`
	Gres       string `json:"gres"`
	GresUsed   string `json:"gres_used"`
	Features   words  `json:"active_features"`
}

func (a *nodesAnswer) read(partition string) ([]Node, error) {
	if err := a.Errors.error(); err != nil {
		return nil, err
	}
	if a.Nodes == nil {
		return nil, fmt.Errorf("%w: no list of nodes in the answer", ErrAway)
	}
	var nodes []Node
	for _, from := range *a.Nodes {
		if from.Name == "" {
			return nil, fmt.Errorf("%w: %w: a node without a name", ErrAway, errListing)
		}
		n := Node{
			Name: from.Name, Reason: from.Reason, Processors: int(from.Processors), MemoryMB: int64(from.Memory), Boot: int64(from.Boot), Slurmd: int64(from.Slurmd),
		}
		if !n.place(partition, from.Partitions) {
			continue
		}
		n.Up, n.Draining, n.Reserved = condition(append(slices.Clone(from.State), from.Flags...))
		n.equip(from.Gres, from.GresUsed)
		n.label(strings.Join(from.Features, ","))
		nodes = append(nodes, n)
	}
	return nodes, nil
}

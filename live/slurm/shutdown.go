package slurm

import (
	"fmt"
	"syscall"

	"github.com/libra-market/libra/live/slurm/client"
)

// A machine that is shut down in order ends its slurmd, and then all that runs, with
// SIGTERM and SIGKILL. What is left of Slurm there may live long enough to tell slurmctld
// that a job ended by such a signal, and Slurm calls it failed, as if its program had. But
// slurmctld calls no job over before a slurmd of its node has put it away. So when it does,
// that is the slurmd that was there all the time, or one that was started since, or
// slurmctld has given the node up: in the last two cases the job is lost with its node. A
// user can stop neither.

// clockSlack is how far the clocks of a node and of slurmctld may be apart, in seconds.
const clockSlack = 30

// struckDown reports whether a job that failed ended as one does whose machine is shut
// down: by a signal, or with the status that a shell has for it.
func struckDown(j *client.Job) bool {
	if j.State != client.Failed {
		return false
	}
	for _, by := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if syscall.Signal(j.Signal) == by || j.Exit == 128+int(by) {
			return true
		}
	}
	return false
}

// struckDown reports whether a run ended so. Of an array each element is looked at when it ends: until
// the last has, nodes may be started anew that none of them was on.
func (r *run) struckDown() bool { return !r.array.is && struckDown(r.job) }

// shutDown says which node of a run was shut down, and when it was not any: nothing.
func (r *run) shutDown(nodes []client.Node) string {
	return shutDown("it", r.job, r.Nodes, nodes)
}

// elementsShutDown says so of elements of an array.
func elementsShutDown(struck []client.Job, nodes []client.Node) string {
	for i := range struck {
		if why := shutDown(fmt.Sprintf("element %d", struck[i].Elements[0]), &struck[i], struck[i].Nodes, nodes); why != "" {
			return why
		}
	}
	return ""
}

func shutDown(what string, j *client.Job, names []string, nodes []client.Node) string {
	found := map[string]client.Node{}
	for _, n := range nodes {
		found[n.Name] = n
	}
	for _, name := range names {
		switch n := found[name]; {
		case !n.Up:
			return what + " was ended, and its node " + name + " is gone"
		case n.Slurmd > j.Started && n.Slurmd >= j.Ended-clockSlack: // it is not the one that began it
			return what + " was ended, and its node " + name + " was started anew"
		}
	}
	return ""
}

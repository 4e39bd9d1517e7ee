package cgroup

import (
	"fmt"
	"strings"
)

// OpenSlurm opens the groups of a node that runs the jobs of Slurm. They are
// named after the jobs, see [SlurmName]; Slurm goes on limiting everything but
// processor time by groups of its own.
//
// With cgroup v1 the tree is made of cpu and cpuacct, which Slurm leaves alone,
// and a process is in Slurm's groups and in ours. The plugin of slurm/plugin
// enters ours by the path of the tree (libra/NODE) before the job begins; what
// it has missed is found by [Gatherer]. The time a job has used can be read
// after its end.
//
// With cgroup v2 a process can be in one group only. To take it out of Slurm's
// would take it out of Slurm's limits, so the share is set on Slurm's own group
// of the job as soon as there is one: the first moments of a job are not held
// to it, and what it uses after the last look is not known.
func OpenSlurm(tree, node string) (Tree, error) {
	kind, mounts, err := detectHere()
	if err != nil {
		return nil, err
	}
	switch kind {
	case V1:
		return openSlurmV1(tree, node, mounts)
	case V2:
		return newSlurmV2(mounts.V2, node), nil
	default:
		return nil, fmt.Errorf("shares of Slurm's jobs: no control groups: %w", ErrMissing)
	}
}

// Gatherer is a group whose processes are started by somebody else, who may
// have forgotten to put them in.
type Gatherer interface {
	// Gather puts in what belongs to the group and is not in it, and says how
	// many processes that were.
	Gather() (found int, err error)
}

// Assembler is a group for several jobs of Slurm's.
type Assembler interface {
	// Assemble says which they are, beside that of its name.
	Assemble(jobs []string)
}

const slurmPrefix = "slurm_"

// SlurmName is the name of the group of a job.
func SlurmName(job string) string { return slurmPrefix + job }

// SlurmJob is the job whose group has this name.
func SlurmJob(name string) (job string, ok bool) { return strings.CutPrefix(name, slurmPrefix) }

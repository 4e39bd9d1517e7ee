package slurm

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/libra-market/libra/core/task"
)

// notElement is what an element of an array is not told: it runs in a step of Slurm's with
// others, and is to be like a job of its own.
var notElement = []string{
	"-u SLURM_STEPID", "-u SLURM_STEP_ID", "-u SLURM_STEP_LAUNCHER_PORT", "-u SLURM_STEP_NODELIST", "-u SLURM_STEP_NUM_NODES", "-u SLURM_STEP_NUM_TASKS",
	"-u SLURM_STEP_TASKS_PER_NODE", "-u SLURM_LAUNCH_NODE_IPADDR", "-u SLURM_SRUN_COMM_HOST", "-u SLURM_SRUN_COMM_PORT", "-u SLURM_UMASK", "-u SLURM_DISTRIBUTION", "-u SLURM_OVERCOMMIT",
	"-u SRUN_DEBUG", "-u SLURMD_DEBUG", "-u SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0", "-u SLURM_NTASKS", "-u SLURM_NPROCS",
}

// element is what an element is told of its size, in words for env(1), which takes what is not
// to be set before the rest: that of its own, and not what its lane and the others have.
func (l *layout) element(s *task.Spec) []string {
	n, tasks := strconv.Itoa(s.Processors()), strconv.Itoa(l.tasks/l.elements)
	words := slices.Concat(notElement, l.elementMemory(s), []string{
		"SLURM_PROCID=0", "SLURM_LOCALID=0", "SLURM_NODEID=0", "SLURM_GTIDS=0", "SLURM_NNODES=1", "SLURM_JOB_NUM_NODES=1", `"SLURM_JOB_NODELIST=$libra_node"`, `"SLURM_NODELIST=$libra_node"`,
		"SLURM_CPUS_ON_NODE=" + n, "SLURM_JOB_CPUS_PER_NODE=" + n, "SLURM_TASKS_PER_NODE=" + tasks,
	})
	if own := valueOf(s.Env, task.Licenses); own != "" { // newer releases of Slurm tell it of those of all
		words = append(words, "${SLURM_JOB_LICENSES:+"+quote("SLURM_JOB_LICENSES="+own)+"}")
	}
	return words
}

// elementMemory is what it is told of its memory.
func (l *layout) elementMemory(s *task.Spec) []string {
	mb, processors, asked := megabytes(s.Memory), int64(s.Processors()), memoryOnNode(s, 1)
	switch each := mb / processors; {
	case mb == 0:
		return nil
	case valueOf(s.Env, task.AllMemory) != "":
		return untoldMemory
	case asked > 0:
		return []string{"-u " + memoryEach, fmt.Sprintf("%s=%d", memoryNode, asked)}
	case mb == l.usual*processors || valueOf(s.Env, memoryEach) == strconv.FormatInt(each, 10):
		return []string{"-u " + memoryNode, fmt.Sprintf("%s=%d", memoryEach, each)}
	default:
		return []string{"-u " + memoryEach, fmt.Sprintf("%s=%d", memoryNode, mb)}
	}
}

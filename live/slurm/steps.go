package slurm

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/plugin"
)

// What srun in the script of a job is told, where Slurm would do something else than what was sold:
// on which nodes the tasks are, that those of elements run side by side, and that jobs share
// processors. Where Slurm has the market's plugin, that tells it srun, and neither the script nor
// what it starts sees more than by sbatch; elsewhere they are variables of the script.

// startsSteps reports whether a script names what starts steps of Slurm's, as launchers of MPI do.
// Those of elements that run side by side in one job share its processors and memory, or each would
// wait for the end of the others'; without the plugin who starts none is not told of it, as by sbatch.
func startsSteps(s *task.Spec) bool {
	return bytes.Contains(s.Script, []byte("srun")) || bytes.Contains(s.Script, []byte("mpi"))
}

// guides reports whether srun in a job has to be told something.
func (l *layout) guides(s *task.Spec) bool {
	if s.Len() > 0 {
		return s.Size > 1
	}
	return s.Once && s.Size > 1 && !l.even || l.spares(s)
}

// listsHosts reports whether that is where its tasks are. Slurm would put as many on each node, and
// not what was sold there; in an element it would take any of all nodes of the job, and who says
// of tasks only how many processors each has would, by what newer releases of Slurm tell it
// (SLURM_TRES_PER_TASK), have as many as the whole job has room for.
func (l *layout) listsHosts(s *task.Spec) bool {
	if s.Len() == 0 {
		return !l.spares(s)
	}
	return len(l.on) > 1 || l.perTaskToo && l.elements > 1 && valueOf(s.Env, "SLURM_CPUS_PER_TASK") != "" && valueOf(s.Env, "SLURM_NTASKS") == ""
}

// hosts are the nodes of the tasks of a job that is no array, in the order of the tasks.
func (l *layout) hosts(specs []task.Spec) []string {
	nodes := specs[0].Nodes
	if bySbatch(&specs[0]) { // which has no ranks but those of Slurm, in the order of its nodes
		nodes = slices.Sorted(slices.Values(nodes))
	}
	var all []string
	for _, name := range nodes {
		for range l.tasks / len(specs) {
			all = append(all, name)
		}
	}
	if how, _, _ := strings.Cut(valueOf(specs[0].Env, "SLURM_DISTRIBUTION"), ":"); how == "cyclic" {
		return inTurn(all)
	}
	return all
}

// inTurn orders names that are several times in a list so that each comes in its turn as long as
// there are more of it.
func inTurn(all []string) []string {
	var turns [][]string
	seen := map[string]int{}
	for _, name := range all {
		at := seen[name]
		if seen[name]++; at == len(turns) {
			turns = append(turns, nil)
		}
		turns[at] = append(turns[at], name)
	}
	return slices.Concat(turns...)
}

// inShort is a list of nodes as the plugin reads it, n1*4,n2*2.
func inShort(all []string) string {
	var words []string
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n] == all[i] {
			n++
		}
		word := all[i]
		if n > 1 {
			word += fmt.Sprintf("*%d", n)
		}
		words = append(words, word)
		i += n
	}
	return strings.Join(words, ",")
}

// longestWord is what a list may have to be in a variable: the kernel takes no longer ones than
// twice of it, and a word in a script may be in quotes.
const longestWord = 60_000

// tellsAll reports whether without the plugin a script is told, and with it all that it starts: one
// that is as by sbatch, and starts no steps, is not.
func (l *layout) tellsAll(s *task.Spec) bool {
	return !l.spares(s) && (startsSteps(s) || s.Len() == 0 && (!l.fits || !bySbatch(s) || len(s.Script) == 0))
}

// writeSteps gets ready what srun is told: with the plugin words for it, and without it, for a
// script that starts steps, a file that has no name any more, with the node of each task.
func (l *layout) writeSteps(b *strings.Builder, specs []task.Spec) {
	s := &specs[0]
	if !l.guides(s) {
		return
	}
	all, list := l.hosts(specs), fmt.Sprintf(`"$libra_node*%d"`, l.tasks/max(1, l.elements))
	if s.Len() == 0 {
		list = quote(inShort(all))
	}
	b.WriteString("libra_steps=\nlibra_of_job=\n")
	if l.listsHosts(s) && len(list) > longestWord {
		list = ""
		fmt.Fprintf(b, "%s=\n", plugin.StepsVariable)
	}
	fmt.Fprintf(b, "if [ \"$%s\" = yes ]; then\n\tlibra_steps=%s\n\tlibra_of_job=$SLURM_JOB_ID\n\tlibra_list=%s\n", plugin.StepsVariable, plugin.StepPrefix, list)
	if !l.tellsAll(s) {
		b.WriteString("fi\n")
		return
	}
	b.WriteString("else\n\tlibra_steps=SLURM_\n")
	switch {
	case !l.listsHosts(s):
		b.WriteString("fi\n")
		return
	case s.Len() > 0: // once for each task, for srun starts as many as there are lines
		b.WriteString(newHosts())
		fmt.Fprintf(b, "libra_of=0\nwhile [ $libra_of -lt %d ]; do\n\techo \"$libra_node\"\n\tlibra_of=$((libra_of + 1))\ndone >\"$libra_hosts\"\n", l.tasks/l.elements)
	default:
		writeHosts(b, all)
	}
	// It stays open for whoever is started, and nobody is left to remove it later.
	b.WriteString("\tlibra_list=/proc/self/fd/4\n\texec 4<\"$libra_hosts\"\n\trm -f \"$libra_hosts\"\nfi\n")
}

// toldSteps is what writeSteps has made ready, in words for env(1); none, where there is nothing to
// be told.
func (l *layout) toldSteps(s *task.Spec) []string {
	if !l.guides(s) {
		return nil
	}
	if l.spares(s) { // Slurm knows where its tasks are, and believes that all processors of their nodes are theirs
		return []string{`${libra_of_job:+"` + plugin.StepPrefix + `JOB=$libra_of_job" "` + plugin.StepPrefix + `SIZE=1"}`}
	}
	word := func(setting string) string { return `${libra_steps:+"${libra_steps}` + setting + `"}` }
	words := []string{`${libra_of_job:+"` + plugin.StepPrefix + `JOB=$libra_of_job"}`} // an sbatch in it begins another one
	if l.listsHosts(s) {
		words = append(words, word("HOSTFILE=$libra_list"), word("DISTRIBUTION=arbitrary"))
	}
	if s.Len() > 0 {
		words = append(words, word("OVERLAP=1"))
	} else if !l.fits { // Slurm believes in fewer processors than were sold: jobs share them
		words = append(words, word("OVERCOMMIT=1"))
	}
	return words
}

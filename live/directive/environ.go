package directive

import "strings"

// variablesOfSbatch are those that sbatch takes for options, in the order of its manual; what
// the script says they beat, and what the command line says beats them.
var variablesOfSbatch = []struct{ name, option string }{
	{"ACCOUNT", "--account"},
	{"ACCTG_FREQ", "--acctg-freq"},
	{"ARRAY_INX", "--array"},
	{"BATCH", "--batch"},
	{"CLUSTERS", "--clusters"},
	{"CONSTRAINT", "--constraint"},
	{"CONTAINER", "--container"},
	{"CONTAINER_ID", "--container-id"},
	{"CORE_SPEC", "--core-spec"},
	{"CPUS_PER_GPU", "--cpus-per-gpu"},
	{"DELAY_BOOT", "--delay-boot"},
	{"DISTRIBUTION", "--distribution"},
	{"ERROR", "--error"},
	{"EXCLUSIVE", "--exclusive"},
	{"EXPORT", "--export"},
	{"GET_USER_ENV", "--get-user-env"},
	{"GPU_BIND", "--gpu-bind"},
	{"GPU_FREQ", "--gpu-freq"},
	{"GPUS", "--gpus"},
	{"GPUS_PER_NODE", "--gpus-per-node"},
	{"GPUS_PER_TASK", "--gpus-per-task"},
	{"GRES", "--gres"},
	{"GRES_FLAGS", "--gres-flags"},
	{"HINT", "--hint"},
	{"IGNORE_PBS", "--ignore-pbs"},
	{"INPUT", "--input"},
	{"JOB_NAME", "--job-name"},
	{"MEM_BIND", "--mem-bind"},
	{"MEM_PER_CPU", "--mem-per-cpu"},
	{"MEM_PER_GPU", "--mem-per-gpu"},
	{"MEM_PER_NODE", "--mem"},
	{"NETWORK", "--network"},
	{"NO_KILL", "--no-kill"},
	{"NO_REQUEUE", "--no-requeue"},
	{"OPEN_MODE", "--open-mode"},
	{"OUTPUT", "--output"},
	{"OVERCOMMIT", "--overcommit"},
	{"PARTITION", "--partition"},
	{"POWER", "--power"},
	{"PROFILE", "--profile"},
	{"QOS", "--qos"},
	{"REQ_SWITCH", "--switches"},
	{"REQUEUE", "--requeue"},
	{"RESERVATION", "--reservation"},
	{"SIGNAL", "--signal"},
	{"SPREAD_JOB", "--spread-job"},
	{"THREAD_SPEC", "--thread-spec"},
	{"THREADS_PER_CORE", "--threads-per-core"},
	{"TIMELIMIT", "--time"},
	{"TRES_BIND", "--tres-bind"},
	{"TRES_PER_TASK", "--tres-per-task"},
	{"USE_MIN_NODES", "--use-min-nodes"},
	{"WAIT", "--wait"},
	{"WAIT_ALL_NODES", "--wait-all-nodes"},
	{"WCKEY", "--wckey"},
}

// FromEnviron are the options that somebody has in their environment for every sbatch, as
// SBATCH_TIMELIMIT=10, as they would stand on its command line.
func FromEnviron(environ []string) []string {
	var options []string
	for _, v := range variablesOfSbatch {
		for _, setting := range environ {
			value, is := strings.CutPrefix(setting, "SBATCH_"+v.name+"=")
			if !is && v.name == "HINT" { // sbatch reads that which srun reads, too
				value, is = strings.CutPrefix(setting, hintVariable)
			}
			if !is {
				continue
			}
			if known, _ := findOption(sbatchOptions, v.option); known.takes == noValue || known.takes == perhapsA && value == "" {
				options = append(options, v.option)
			} else {
				options = append(options, v.option+"="+value)
			}
		}
	}
	return options
}

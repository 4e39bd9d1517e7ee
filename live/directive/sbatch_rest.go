package directive

// sbatchRest are the options of sbatch that are about what the market decides, or what it
// does not sell: none of them is unknown, and none is passed over in silence.
var sbatchRest = []option{
	{names: []string{"--contiguous"}, idle: chosen},
	{names: []string{"--cores-per-socket"}, takes: aValue, idle: chosen},
	{names: []string{"--sockets-per-node"}, takes: aValue, idle: chosen},
	{names: []string{"-B", "--extra-node-info"}, takes: aValue, idle: chosen},
	{names: []string{"--ntasks-per-core"}, takes: aValue, idle: chosen},
	{names: []string{"--ntasks-per-socket"}, takes: aValue, idle: chosen},
	{names: []string{"--mem-bind"}, takes: aValue, idle: chosen},
	{names: []string{"--tres-bind"}, takes: aValue, idle: chosen},
	{names: []string{"--prefer"}, takes: aValue, idle: chosen},
	{names: []string{"-s", "--oversubscribe"}, idle: "processors are shared, and each job has the share that it was sold"},
	{names: []string{"-O", "--overcommit"}, idle: "processors are shared, and each job has the share that it was sold"},
	{names: []string{"--ignore-pbs"}, idle: "#PBS lines are read where they agree with the rest"},
	{names: []string{"--delay-boot"}, takes: aValue, idle: "nodes are sold while they are up"},
	{names: []string{"--wait-all-nodes"}, takes: aValue, idle: "a job begins when all its nodes are ready"},
	{names: []string{"--kill-on-invalid-dep"}, takes: aValue, idle: "a job whose dependency fails is refused, and owes nothing"},
	{names: []string{"--oom-kill-step"}, takes: perhapsA, idle: "a job that exceeds its memory is ended as a whole"},
	{names: []string{"--extra"}, takes: aValue, idle: "tags are the words of your own (--tags)"},
	{names: []string{"--resv-ports"}, takes: perhapsA, idle: "ports are not kept"},
	{names: []string{"--stepmgr"}, idle: "steps are managed by slurmctld"},
	{names: []string{"--power"}, takes: aValue, idle: "power is not managed"},

	{names: []string{"--batch"}, takes: aValue, never: "nodes cannot be chosen by their features"},
	{names: []string{"--cluster-constraint"}, takes: aValue, never: "a broker chooses between clusters (libra broker)"},
	{names: []string{"-M", "--clusters"}, takes: aValue, never: "a broker chooses between clusters (libra broker)"},
	{names: []string{"--bb"}, takes: aValue, never: "the market sells processors, memory and disk, no burst buffers"},
	{names: []string{"--bbf"}, takes: aValue, never: "the market sells processors, memory and disk, no burst buffers"},
	{names: []string{"--network"}, takes: aValue, never: "the market sells processors, memory and disk, no networks"},
	{names: []string{"--container"}, takes: aValue, never: "say in the script what starts the container"},
	{names: []string{"--container-id"}, takes: aValue, never: "say in the script what starts the container"},
	{names: []string{"-S", "--core-spec"}, takes: aValue, never: "processors of a node are sold one by one"},
	{names: []string{"--thread-spec"}, takes: aValue, never: "processors of a node are sold one by one"},
	{names: []string{"--cpu-freq"}, takes: aValue, never: "processors have the speed that they were measured at"},
	{names: []string{"--cpus-per-gpu"}, takes: aValue, never: noDevices},
	{names: []string{"--gpu-bind"}, takes: aValue, never: noDevices},
	{names: []string{"--gpu-freq"}, takes: aValue, never: noDevices},
	{names: []string{"--gpus-per-socket"}, takes: aValue, never: noDevices},
	{names: []string{"--gres-flags"}, takes: aValue, never: noDevices},
	{names: []string{"--mem-per-gpu"}, takes: aValue, never: noDevices},
	{names: []string{"--ntasks-per-gpu"}, takes: aValue, never: noDevices},
	{names: []string{"--tres-per-task"}, takes: aValue, never: "-c, --mem-per-cpu and --tmp say what a task has"},
	{names: []string{"--export-file"}, takes: aValue, never: "--export says what a job gets of the environment"},
	{names: []string{"-F", "--nodefile"}, takes: aValue, never: "nodes cannot be chosen by name"},
	{names: []string{"--mcs-label"}, takes: aValue, never: "the market knows no labels of nodes"},
	{names: []string{"-k", "--no-kill"}, takes: perhapsA, never: "a job that loses a node begins again as a whole"},
	{names: []string{"--test-only"}, idle: "it is for sbatch itself"},
	{names: []string{"--wrap"}, takes: aValue, never: "the script is here already"},
	{names: []string{"-h", "--help"}, never: "say libra sbatch --help"},
	{names: []string{"--usage"}, never: "say libra sbatch --help"},
	{names: []string{"-V", "--version"}, never: "say libra version"},
	{names: []string{"--reboot"}, never: "nodes are shared: they are not started anew for one job"},
}

const (
	chosen    = "processors are chosen by the market"
	noDevices = "the market sells processors, memory and disk, no devices"
)

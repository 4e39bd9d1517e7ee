package directive_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/directive"
)

// What sbatch and qsub say of GPUs becomes so many for each program of the market: all
// told as many as they would give.
func TestGPUsOfOtherSystems(t *testing.T) {
	for _, c := range []struct {
		options    string
		processors int
		threads    int
		gpus       int
		kind       string
		all        int // GPUs of all programs
		told       string
	}{
		{"--gres=gpu:2", 0, 0, 2, "", 2, ""},
		{"--gres=gpu", 0, 0, 1, "", 1, ""},
		{"--gres=gpu:a100", 0, 0, 1, "a100", 1, ""},
		{"--gres=gpu:a100:3", 0, 0, 3, "a100", 3, ""},
		{"--gres=gres/gpu:a100:3", 0, 0, 3, "a100", 3, ""},
		{"--gres=none", 0, 0, 0, "", 0, ""},
		{"--gpus=0", 0, 0, 0, "", 0, "SLURM_GPUS=0"},
		{"-G 2", 1, 0, 2, "", 2, "SLURM_GPUS=2"},
		{"--gpus=a100:4 -c 8", 8, 8, 4, "a100", 4, "SLURM_GPUS=a100:4 SLURM_CPUS_PER_TASK=8"},
		{"-n 4 -G 2", 4, 4, 2, "", 2, "SLURM_GPUS=2 SLURM_NTASKS=4"},
		{"-n 2 --gres=gpu:1", 2, 2, 1, "", 1, ""},
		{"-N 2 -G 4", 2, 0, 2, "", 4, ""},
		{"-N 2 -n 8 -G 4", 8, 4, 2, "", 4, ""},
		{"-N 2 --gpus-per-node=2", 2, 0, 2, "", 4, "SLURM_GPUS_PER_NODE=2"},
		{"-N 2 --ntasks-per-node=3 --gpus-per-node=v100:1", 6, 3, 1, "v100", 2, "SLURM_GPUS_PER_NODE=v100:1"},
		{"-N 2 --gres=gpu:2 --gpus-per-node=2", 2, 0, 2, "", 4, ""},
		{"-N 2-4 -n 8 --gres=gpu:1", 8, 2, 1, "", 4, ""},
		{"-G 8 --gpus-per-node=4", 2, 0, 4, "", 8, "SLURM_GPUS=8 SLURM_GPUS_PER_NODE=4"},
		{"-G 8 --gpus-per-node=4 -n 8", 8, 4, 4, "", 8, ""},
		{"-n 4 --gpus-per-task=1", 4, 0, 1, "", 4, "SLURM_GPUS_PER_TASK=1 SLURM_NTASKS=4"},
		{"-n 2 -c 3 --gpus-per-task=a100:2", 6, 3, 2, "a100", 4, "SLURM_GPUS_PER_TASK=a100:2"},
		{"-N 2 -n 4 --gpus-per-task=1", 4, 2, 2, "", 4, ""},
		{"-N 2 --ntasks-per-node=2 --gpus-per-task=1", 4, 2, 2, "", 4, ""},
		{"-G 6 --gpus-per-task=2", 3, 0, 2, "", 6, "SLURM_NTASKS=3 SLURM_GPUS=6 SLURM_GPUS_PER_TASK=2"},
		{"-n 8 --gpus-per-task=1 --gpus-per-node=4", 8, 4, 4, "", 8, ""},
		{"-G 1 --cpus-per-gpu=2", 2, 2, 1, "", 1, "SLURM_CPUS_PER_GPU=2"},
		{"-G 2 -n 2 --cpus-per-gpu=3", 6, 6, 2, "", 2, "SLURM_CPUS_PER_GPU=3 SLURM_NTASKS=2"},
		{"-N 2 --gpus-per-node=2 --cpus-per-gpu=2", 8, 4, 2, "", 4, "SLURM_CPUS_PER_GPU=2"},
		{"-n 2 --gpus-per-task=2 --cpus-per-gpu=2", 8, 4, 2, "", 4, "SLURM_CPUS_PER_GPU=2"},
		{"-G a100:4 --ntasks-per-gpu=2", 8, 8, 4, "a100", 4, "SLURM_NTASKS_PER_GPU=2 SLURM_NTASKS=8 SLURM_GPUS=a100:4"},
		{"-n 4 --ntasks-per-gpu=2", 4, 4, 2, "", 2, "SLURM_NTASKS_PER_GPU=2 SLURM_NTASKS=4"},
		{"-N 2 --gres=gpu:2 --ntasks-per-gpu=1", 4, 2, 2, "", 4, "SLURM_NTASKS=4"},
		{"-n 2 --tres-per-task=cpu=2,gres/gpu:a100=1", 4, 2, 1, "a100", 2, "SLURM_CPUS_PER_TASK=2"},
		{"--tres-per-task=cpu:3", 3, 3, 0, "", 0, "SLURM_CPUS_PER_TASK=3"},
		{"-G 1 --gpu-bind=none", 0, 0, 1, "", 1, "SLURM_GPU_BIND=none"},
	} {
		h := directive.New(directive.Place{Now: noon, User: "alice"})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(c.options)); err != nil {
			t.Errorf("%s: %v", c.options, err)
			continue
		}
		r := h.Finish("job", nil)
		programs := max(1, r.Processors) / max(1, r.Threads)
		if max(1, r.Processors) != max(1, c.processors) || r.Threads != c.threads || r.GPUs != c.gpus || r.GPUKind != c.kind || r.GPUs*programs != c.all {
			t.Errorf("%s: %d processors by %d, %d GPUs %q each, %d in all", c.options, r.Processors, r.Threads, r.GPUs, r.GPUKind, r.GPUs*programs)
		}
		for setting := range strings.FieldsSeq(c.told) {
			if !slices.Contains(r.Env, setting) {
				t.Errorf("%s: told %v, not %s", c.options, r.Env, setting)
			}
		}
		if c.told == "" && slices.ContainsFunc(r.Env, func(e string) bool { return strings.HasPrefix(e, "SLURM_GPUS=") && !strings.Contains(c.options, "-G") }) {
			t.Errorf("%s: told %v", c.options, r.Env)
		}
	}
	h, err := read(t, "#SBATCH --gres=gpu:a100:2", "#SBATCH -n 1")
	if err != nil || h.Request.GPUs != 2 || h.Request.GPUKind != "a100" {
		t.Errorf("a line: %+v, %v", h.Request, err)
	}
	for line, want := range map[string][3]int{
		"#PBS -l select=2:ncpus=4:ngpus=1":                   {8, 4, 1},
		"#PBS -l select=2:ncpus=4:mpiprocs=4:ngpus=2":        {8, 4, 2},
		"#PBS -l ncpus=4,ngpus=2":                            {4, 4, 2},
		"#PBS -l select=1:ncpus=2+1:ncpus=2":                 {4, 2, 0},
		"#PBS -l select=1:ncpus=2:ngpus=1+2:ncpus=2:ngpus=1": {6, 2, 1},
	} {
		h, err := read(t, line)
		if r := h.Request; err != nil || r.Processors != want[0] || max(1, r.Threads) != want[1] || r.GPUs != want[2] {
			t.Errorf("%s: %+v, %v", line, r, err)
		}
	}
}

func TestGPUsThatCannotBeHad(t *testing.T) {
	for options, want := range map[string]string{
		"--gpus=a100:1,v100:1":                     "of one kind",
		"--gres=gpu:a100:1,gpu:v100:1":             "of one kind",
		"--gpus=a100:2 --gpus-per-node=v100:1":     "of one kind",
		"--gpus=many":                              "want a number of GPUs",
		"--gres=gpu:a:b:1":                         "want a number of GPUs",
		"--gres=shard:1":                           "GPUs alone",
		"--gres=gpu:1,nic:2":                       "nic: of generic resources",
		"--gpus-per-task=1":                        "wants a number of tasks",
		"-G 5 --gpus-per-task=2":                   "5 GPUs are no multiple of 2",
		"-G 5 --gpus-per-node=2":                   "5 GPUs are no multiple of 2",
		"-n 3 -G 4 --gpus-per-task=1":              "4 GPUs are not the same number for each of 3",
		"-N 2 -G 3":                                "3 GPUs are not the same number for each of 2",
		"-N 2 -n 5 --gres=gpu:1":                   "not the same number on each of 2 nodes",
		"--gres=gpu:1 --gpus-per-node=2":           "different things",
		"-N 1 -n 4 --gpus-per-task=1 --gres=gpu:2": "2 GPUs on each node are not those of its tasks, 4",
	} {
		h := directive.New(directive.Place{Now: noon})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(options)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", options, err, want)
		}
	}
	if _, err := read(t, "#PBS -l select=1:ncpus=2:ngpus=1+1:ncpus=4:ngpus=1"); err == nil || !strings.Contains(err.Error(), "not alike") {
		t.Errorf("unequal chunks: %v", err)
	}
}

// What is said of each GPU, and does not go with the rest, is a mistake.
func TestWhatGoesWithEachGPU(t *testing.T) {
	for options, want := range map[string]string{
		"--cpus-per-gpu=2":                          "how many there are",
		"-G 1 -c 2 --cpus-per-gpu=2":                "mutually exclusive",
		"-G 3 -n 2 --cpus-per-gpu=1":                "not the same number for each of 2 tasks",
		"-G 2 -n 3 --ntasks-per-gpu=1":              "3 tasks are not 1 for each of 2 GPUs",
		"--ntasks-per-gpu=1":                        "wants a number of GPUs",
		"-n 3 --ntasks-per-gpu=2":                   "are not 2 for each",
		"-n 2 --gpus-per-task=1 --ntasks-per-gpu=1": "not with --gpus-per-task",
		"-G 2 --mem-per-gpu=5 --mem=5":              "mutually exclusive",
		"--tres-per-task=license/a=1":               "processors and GPUs alone",
		"--tres-per-task=cpu":                       "want cpu=2",
	} {
		h := directive.New(directive.Place{Now: noon, User: "alice"})
		if err := h.ReadSbatch("job.sh", "#!/bin/sh\ntrue\n", strings.Fields(options)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", options, err, want)
		}
	}
	h := directive.New(directive.Place{Now: noon, User: "alice"})
	err := h.ReadSbatch("job.sh", "#!/bin/sh\n#SBATCH -G 2 --mem-per-gpu=1G\ntrue\n", []string{"--cpus-per-gpu=2"})
	r := h.Finish("job", nil)
	if err != nil || r.MemoryMB*int64(r.Processors) != 2048 || r.Processors != 4 || !slices.Contains(r.Env, "SLURM_MEM_PER_GPU=1024") || slices.ContainsFunc(r.Env, func(e string) bool { return strings.HasPrefix(e, "SLURM_CPUS_PER_TASK=") }) {
		t.Errorf("%+v, %v", r, err)
	}
}

// Processors that go with each GPU leave memory as it was asked for, in whichever words.
func TestMemoryStaysBesideGPUs(t *testing.T) {
	h := directive.New(directive.Place{Now: noon, User: "alice"})
	script := "#!/bin/sh\n#PBS -l mem=4gb\n#SBATCH -t 5 -G 1 --cpus-per-gpu=2\ntrue\n"
	if err := h.ReadSbatch("job.sh", script, nil); err != nil || h.Request.MemoryMB != 2048 {
		t.Errorf("each of two processors has %d MB, want 2048: %v", h.Request.MemoryMB, err)
	}
}

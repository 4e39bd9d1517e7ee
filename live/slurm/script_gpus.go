package slurm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// deviceVariables are by which Slurm tells programs which GPUs of the node are theirs.
var deviceVariables = []string{"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "GPU_DEVICE_ORDINAL"}

// withoutDevices leaves out of the environment of a job, where Slurm gives GPUs out, what
// it says of those that its user had where it was handed in.
func (l *layout) withoutDevices(env []string) []string {
	if !l.devices {
		return env
	}
	return slices.DeleteFunc(slices.Clone(env), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains(deviceVariables, name)
	})
}

// parted reports whether each task of a job is a program with GPUs of its own. To a script
// that starts once all of its node are shown, as by sbatch.
func parted(specs []task.Spec) bool { return specs[0].GPUs > 0 && len(specs) > 1 && !specs[0].Once }

// writeGPUs finds out which GPUs are those of a task: of all that its job has on the node,
// in their order, so many for each of its tasks.
func writeGPUs(b *strings.Builder, specs []task.Spec) {
	if parted(specs) {
		fmt.Fprintf(b, "libra_own() { printf '%%s\\n' \"$1\" | cut -d, -f \"$((${SLURM_LOCALID:-0} * %[1]d + 1))-$((${SLURM_LOCALID:-0} * %[1]d + %[1]d))\"; }\n", specs[0].GPUs)
		for _, name := range deviceVariables {
			fmt.Fprintf(b, "[ -z \"${%[1]s:-}\" ] || export %[1]s=\"$(libra_own \"$%[1]s\")\"\n", name)
		}
	}
}

// toldGPUs is what programs are told of their GPUs beside what Slurm does, in words for
// env(1).
func toldGPUs(specs []task.Spec) []string {
	if specs[0].GPUs == 0 {
		return nil
	}
	return []string{`"LIBRA_GPUS=${CUDA_VISIBLE_DEVICES:-}"`}
}

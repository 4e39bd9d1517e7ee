package agent

import (
	"errors"
	"slices"
	"testing"

	"github.com/libra-market/libra/core/task"
)

// Every task has GPUs of its own, and gets none that another still has.
func TestDevicesAreOnesOwn(t *testing.T) {
	a, b, c := task.Key{Job: 1}, task.Key{Job: 2}, task.Key{Job: 3}
	d := newDevices(4)
	take := func(key task.Key, n int, want ...int) {
		t.Helper()
		if own, err := d.take(key, n); err != nil || !slices.Equal(own, want) {
			t.Errorf("%v has %v (%v), want %v", key, own, err, want)
		}
	}
	take(a, 1, 0)
	take(b, 2, 1, 2)
	if own, err := d.take(c, 2); !errors.Is(err, errTaken) {
		t.Errorf("%v, %v of one that is left", own, err)
	}
	d.free(a)
	take(c, 2, 0, 3)
	if _, err := d.take(a, 5); err == nil || errors.Is(err, errTaken) {
		t.Errorf("more than there are: %v", err)
	}
	if own, err := d.take(a, 0); err != nil || own == nil {
		t.Errorf("none of some: %v, %v", own, err)
	}

	// After a restart of the agent its tasks have what they had.
	d = newDevices(4)
	d.inherit(b, []int{1, 2})
	take(a, 2, 0, 3)

	if own, err := newDevices(0).take(a, 0); err != nil || own != nil {
		t.Errorf("on a node without any: %v, %v", own, err)
	}
}

// A program is told which GPUs are its own, and that none are where it asked for none;
// where there are none, what its user says of them stays.
func TestProgramsAreToldOfTheirGPUs(t *testing.T) {
	spec := task.Spec{Env: []string{"CUDA_VISIBLE_DEVICES=7"}}
	for _, c := range []struct {
		gpus        []int
		cuda, libra string
	}{{[]int{2, 0}, "CUDA_VISIBLE_DEVICES=0,2", "LIBRA_GPUS=0,2"}, {[]int{}, "CUDA_VISIBLE_DEVICES=", "LIBRA_GPUS="}, {nil, "CUDA_VISIBLE_DEVICES=7", ""}} {
		env := environ(record{Spec: spec, GPUs: c.gpus}, "n1", nil, "")
		if !slices.Contains(env, c.cuda) || c.libra != "" && !slices.Contains(env, c.libra) {
			t.Errorf("%v: %q", c.gpus, env)
		}
	}
}

// It gives out those with the lowest numbers: of several kinds nobody would know which.
func TestAnAgentHasGPUsOfOneKind(t *testing.T) {
	for kind, want := range map[string]bool{"": true, "a100": true, "a100:1,v100:1": false, "a100:2": false} {
		c, err := Config{StateDir: "/none", OnLease: LeaseStop, GPUs: 2, GPUKind: kind}.Default()
		if err == nil {
			err = c.validate()
		}
		if (err == nil) != want {
			t.Errorf("%q: %v", kind, err)
		}
	}
}

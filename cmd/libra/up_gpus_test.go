package main

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/live/config"
)

// A market on one machine offers the GPUs that it is told of, at a price.
func TestUpOffersGPUs(t *testing.T) {
	configure := func(gpus, rate string) (string, int, int64, error) {
		o := &upOptions{dir: t.TempDir(), listen: "127.0.0.1:0", socket: ownSocket, policy: "libra", rate: demoRate, gpus: gpus, gpuRate: rate}
		c, err := o.configure(config.Given{})
		return c.Agent.GPUKind, c.Agent.GPUs, int64(c.Rates.GPU), err
	}
	if kind, n, rate, err := configure("a100:2", "12.5"); kind != "a100" || n != 2 || rate != 12_500_000 || err != nil {
		t.Errorf("a100:2 are %d %s for %d, %v", n, kind, rate, err)
	}
	if kind, n, rate, err := configure("", demoGPURate); kind != "" || n != 0 || rate != 0 || err != nil {
		t.Errorf("none are %d %s for %d, %v", n, kind, rate, err)
	}
	for _, wrong := range [][2]string{{"many", "1"}, {"99999", "1"}, {"2", "-1"}, {"2", "much"}} {
		if _, _, _, err := configure(wrong[0], wrong[1]); err == nil || !strings.Contains(err.Error(), "--gpu") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	if r := libra(t, "up", "--dir", "/dev/null/x", "--gpu-rate", "6"); r.code != exitUsage || !strings.Contains(r.err, "give --gpus") {
		t.Errorf("a price of what is not offered: %+v", r)
	}
}

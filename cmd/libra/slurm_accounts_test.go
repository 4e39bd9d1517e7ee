package main

import (
	"net"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// accounted is a Slurm of two processors that enforces what sacctmgr is told here, a market in front of it that
// its agents find again after a restart, and how commands are run where that Slurm is.
func accounted(t *testing.T, told ...string) (*slurmtest.Cluster, *config.Config, func(args ...string) string) {
	t.Helper()
	cluster := slurmtest.Start(t, slurmtest.Options{Nodes: 1, CPUs: 2, Accounting: true, Enforce: "limits,qos"})
	slurm := func(args ...string) string {
		t.Helper()
		out, err := cluster.Run(t.Context(), args[0], args[1:]...)
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(out)
	}
	for _, args := range told {
		slurm(append([]string{"sacctmgr", "--immediate"}, strings.Fields(args)...)...)
	}
	c := slurmConfig(t, cluster, "libra", "agents")
	port, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.Listen = port.Addr().String()
	_ = port.Close()
	return cluster, c, slurm
}

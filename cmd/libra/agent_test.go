package main

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/live/config"
)

func TestAgentSettings(t *testing.T) {
	token := file(t, "token", "secret\n")
	for _, c := range []struct {
		args string
		want string
	}{
		{"--control pbs", "agent.control"},
		{"--capacity 0.4", "control: slurm"},
		{"--processors 2", "control: slurm"},
		{"--control slurm --capacity -1", "0 or more"},
		{"--control slurm --capacity nan", "0 or more"},
	} {
		got := libra(t, append([]string{"agent", "--token-file", token}, strings.Fields(c.args)...)...)
		if got.code == exitOK || !strings.Contains(got.err, c.want) {
			t.Errorf("%s: exit code %d, said %q, want %q", c.args, got.code, got.err, c.want)
		}
	}
	if help := mustLibra(t, "agent", "--help"); !strings.Contains(help, "--control slurm --server") {
		t.Errorf("no example of an agent beside Slurm: %s", help)
	}
	good := file(t, "good.yaml", "agent: {control: slurm, node: n1, processors: 4, capacity: 0.4, memory_mb: 4096}\n")
	mustLibra(t, "config", "check", good)
	if out := mustLibra(t, "config", "check", "--json", good); !strings.Contains(out, `"good": true`) || !strings.Contains(out, `"mistakes": []`) {
		t.Errorf("of a good file: %s", out)
	}
	bad := file(t, "bad.yaml", "agent: {control: slurm, capacity: 0.001}\n")
	if got := libra(t, "config", "check", "--json", bad); got.code != exitFailure || !strings.Contains(got.out, `"line `) || !strings.Contains(got.out, `"good": false`) {
		t.Errorf("of a bad file: %+v", got)
	}
	if got := libra(t, "config", "check", bad); got.code == exitOK || !strings.Contains(got.err, "agent.capacity") {
		t.Errorf("a capacity of nearly nothing: %+v", got)
	}
}

// The plugin finds the groups of a node by its name alone.
func TestTreeOfANodeBesideSlurm(t *testing.T) {
	if got := treeOf(&config.Agent{Node: "n1", State: "/a", Control: "slurm"}); got != "libra/n1" {
		t.Errorf("%q", got)
	}
	one, two := treeOf(&config.Agent{Node: "n1", State: "/a"}), treeOf(&config.Agent{Node: "n1", State: "/b"})
	if one == two || !strings.HasPrefix(one, "libra/n1-") {
		t.Errorf("%q and %q", one, two)
	}
}

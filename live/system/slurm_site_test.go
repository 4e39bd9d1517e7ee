package system_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// Scenes on a Slurm wait more than they compute: a few run at once, each on a Slurm of
// its own, those that take longest first, and all that measures no shares goes on beside
// them.
func TestOnSlurm(t *testing.T) {
	slurmtest.Require(t)
	t.Parallel()
	for _, scene := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a node drains", aNodeDrains},
		{"Slurm and Libra are killed", slurmAndLibraAreKilled},
		{"a node is shut down", aNodeIsShutDown},
		{"a broker over three clusters", brokerOverThreeClusters},
		{"a node is cut off", aNodeIsCutOff},
		{"the only door", theOnlyDoor},
		{"Slurm says no", slurmSaysNo},
		{"root meddles", rootMeddles},
		{"slurmd is away", slurmdIsAway},
		{"Slurm has limits", slurmHasLimits},
		{"scripts run unchanged", scriptsRunUnchanged},
		{"one number", oneNumber},
		{"owners put back", ownersPutBack},
		{"owners put back at their cost", ownersPutBackAtTheirCost},
		{"elements are jobs", elementsAreJobs},
		{"elements put back", elementsPutBack},
		{"GPUs are sold", gpusAreSold},
		{"jobs are on their nodes", jobsAreOnTheirNodes},
		{"jobs begin later", jobsBeginLater},
		{"partitions are priced", partitionsArePriced},
	} {
		t.Run(scene.name, func(t *testing.T) {
			t.Parallel()
			scene.run(t)
		})
	}
}

// newSite is a market in front of a Slurm, with an agent on each of its nodes
// that holds the jobs to their shares. Every node has so much of a processor:
// they are all the same machine.
func newSite(t testing.TB, o slurmtest.Options, w terms, capacity float64) *bazaar {
	t.Helper()
	slurmtest.Require(t)
	w.slurm = slurmtest.Start(t, o)
	b := newBazaar(t, w)
	for _, node := range w.slurm.Nodes {
		b.control(node, capacity)
	}
	return b
}

// beforeSlurm adds what a controller needs that leaves the jobs to Slurm, and
// says where it should listen: where the nodes can reach it.
func (b *bazaar) beforeSlurm(listen string) string {
	b.t.Helper()
	token, err := b.slurm.Token(b.t.Context(), "root")
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("slurm.token", token+"\n")
	b.args = append(b.args, "--slurm-conf", b.slurm.Conf)
	b.args = append(b.args, "--backend", "slurm", "--slurm-partition", slurmtest.Partition,
		"--slurm-rest", b.slurm.RestURL, "--slurm-token-file", b.at("slurm.token"))
	if _, err = os.Stat(b.slurm.DoorKey); err == nil {
		b.args = append(b.args, "--slurm-door-key", b.slurm.DoorKey)
	}
	gateway := b.slurm.Gateway()
	if gateway == "127.0.0.1" {
		return listen
	}
	b.certs = scene(b.t)
	err = api.MakeAuthority(b.certs, time.Now())
	if err == nil {
		err = api.MakeServerCertificate(b.certs, []string{gateway, "127.0.0.1"}, time.Now())
	}
	if err != nil {
		b.t.Fatal(err)
	}
	listen = fmt.Sprintf("%s:%d", gateway, freePort(b.t))
	b.url = "https://" + listen
	return listen
}

// control starts the agent of a node of Slurm's.
func (b *bazaar) control(node string, capacity float64) *worker {
	b.t.Helper()
	w := &worker{node: node, home: b.at(node)}
	w.state = filepath.Join(w.home, "state")
	if err := os.Mkdir(w.home, 0o755); err != nil {
		b.t.Fatal(err)
	}
	token, err := b.owner.MakeToken(b.t.Context(), v1.TokenRequest{User: node, Role: v1.RoleNode})
	if err != nil {
		b.t.Fatal(err)
	}
	b.write(node+".token", token.Secret)
	argv := []string{
		binary(), "agent", "--control", "slurm", "--node", node, "--state", w.state, "--rating", "1", "--processors", fmt.Sprint(b.slurm.CPUs()),
		"--memory-mb", "4096", "--weight", "250", "--server", b.url, "--token-file", b.at(node + ".token"),
	}
	if b.slurm.CPUs() == 1 {
		argv = append(argv, "--cpus", "0", "--capacity", fmt.Sprint(capacity))
	}
	if b.certs != "" {
		argv = append(argv, "--ca", b.cert(api.AuthorityCert))
	}
	w.args = b.slurm.On(node, argv...)
	if err := writeDown(runDir(), madeTrees, "libra/"+node); err != nil {
		b.t.Fatal(err)
	}
	b.agents[node] = w
	w.start(b.t)
	b.joined(w)
	return w
}

package slurmtest

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// hosts are the nodes as hosts of their own: network namespaces on one switch,
// which is a namespace too. One cable leads from the switch to this machine.
type hosts struct {
	prefix  string
	gateway string // address of this machine there
	nodes   []host
}

// newHosts gives every slurmd an address in a network.
func newHosts(prefix, network string, slurmds []host) *hosts {
	h := &hosts{prefix: prefix, gateway: network + ".1", nodes: slurmds}
	for i := range slurmds {
		slurmds[i].Address = fmt.Sprintf("%s.%d", network, 11+i)
	}
	return h
}

// network is one that this machine has not, and that no other place would take.
func (p *place) network() string {
	taken, _ := net.InterfaceAddrs() // none known: the first will do
	for i := p.number; i < 255; i += atOnce {
		network := fmt.Sprintf("10.78.%d", i)
		if !slices.ContainsFunc(taken, func(a net.Addr) bool { return strings.HasPrefix(a.String(), network+".") }) {
			return network
		}
	}
	return fmt.Sprintf("10.78.%d", p.number)
}

func (h *hosts) space(node string) string { return node + "-net" }
func (h *hosts) hub() string              { return h.prefix + "-hub" }

func (h *hosts) up() error {
	uplink := h.prefix + "up"
	steps := [][]string{
		{"netns", "add", h.hub()},
		{"-n", h.hub(), "link", "add", "br0", "type", "bridge"},
		{"-n", h.hub(), "link", "set", "br0", "up"},
		{"link", "add", uplink, "type", "veth", "peer", "name", "uplink", "netns", h.hub()},
		{"-n", h.hub(), "link", "set", "uplink", "master", "br0", "up"},
		{"addr", "add", h.gateway + "/24", "dev", uplink},
		{"link", "set", uplink, "up"},
	}
	for _, n := range h.nodes {
		steps = append(
			steps,
			[]string{"netns", "add", h.space(n.Name)},
			[]string{"-n", h.space(n.Name), "link", "set", "lo", "up"},
			[]string{"-n", h.space(n.Name), "link", "add", "eth0", "type", "veth", "peer", "name", "v-" + n.Name, "netns", h.hub()},
			[]string{"-n", h.hub(), "link", "set", "v-" + n.Name, "master", "br0", "up"},
			[]string{"-n", h.space(n.Name), "addr", "add", n.Address + "/24", "dev", "eth0"},
			[]string{"-n", h.space(n.Name), "link", "set", "eth0", "up"},
		)
	}
	for _, step := range steps {
		if out, err := exec.Command("ip", step...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", strings.Join(step, " "), err, out)
		}
	}
	return nil
}

// On is a command as it is run on a node: in the node's network, if it has one.
// It leaves /sys as it is, unlike ip netns exec: the groups are below it.
func (c *Cluster) On(node string, argv ...string) []string {
	if c.hosts == nil {
		return argv
	}
	return append([]string{"nsenter", "--net=/run/netns/" + c.hosts.space(node), "--"}, argv...)
}

// Gateway is the address under which the nodes reach this machine.
func (c *Cluster) Gateway() string { return c.layout.Controller }

// Cut pulls the cable of a node, and Heal plugs it in again. Nobody is told.
func (c *Cluster) Cut(node string) error { return c.cable(node, "down") }

// Heal undoes [Cluster.Cut].
func (c *Cluster) Heal(node string) error { return c.cable(node, "up") }

func (c *Cluster) cable(node, to string) error {
	if c.hosts == nil {
		return errors.New("the nodes are no hosts of their own: see Options.Hosts")
	}
	return exec.Command("ip", "-n", c.hosts.hub(), "link", "set", "v-"+node, to).Run()
}

// RequireHosts is for tests that need [Options.Hosts].
func RequireHosts(t testing.TB) {
	t.Helper()
	require(t, "netns", missingForHosts())
}

func missingForHosts() string {
	probe := randomName() + "-probe" // another test may ask just now
	if _, err := exec.LookPath("nsenter"); err != nil {
		return "nsenter"
	}
	if exec.Command("ip", "netns", "add", probe).Run() != nil {
		return "network namespaces"
	}
	_ = exec.Command("ip", "netns", "del", probe).Run() // it could be made, that is enough
	return ""
}

package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// Slurm says how a market runs its jobs on Slurm, where backend says slurm.
type Slurm struct {
	Partition string `yaml:"partition"`  // whose nodes are the market's; several with commas, the first is that of jobs that name none
	Rest      string `yaml:"rest"`       // slurmrestd: http://host:port or unix:/path; empty: the commands of Slurm
	TokenFile string `yaml:"token_file"` // a JWT of root; empty: asked for with scontrol
	Control   string `yaml:"control"`    // agents: they hold jobs to their shares; none: jobs have whole processors
	Conf      string `yaml:"conf"`       // slurm.conf for the commands; empty: Slurm's own
	DoorKey   string `yaml:"door_key"`   // file with the key of job_submit.lua, where that is installed

	Offer bool `yaml:"offer"` // jobs of plain sbatch are told their price, and bought if they say what they may cost

	Associations string   `yaml:"associations"`       // account below which those of sacctmgr are kept in step; empty: they are not
	Follow       Duration `yaml:"associations_every"` // how often they are looked at

	SystemUsers []string `yaml:"system_users"` // root and other users of the system that jobs may run as: none but these
}

// Partitions are those of Slurm that are the market's.
func (s *Slurm) Partitions() []string { return strings.Split(s.Partition, ",") }

// The backends: what runs the jobs.
const (
	BackendAgents = "agents" // Libra's own agents
	BackendSlurm  = "slurm"
)

func (s *Slurm) wrong(m *mistakes, backend string) {
	m.When(backend != BackendAgents && backend != BackendSlurm, "want agents or slurm", "backend")
	m.When(s.Control != "agents" && s.Control != "none", "want agents or none", "slurm.control")
	for i, name := range s.Partitions() {
		m.When(name == "" || strings.ContainsAny(name, " \t\n"), "want the name of a partition, or several with commas between them", "slurm.partition")
		m.When(slices.Contains(s.Partitions()[:i], name), "want each partition once", "slurm.partition")
	}
	if s.Associations != "" {
		err := ledger.CheckPath(market.Account(s.Associations))
		m.When(err != nil, "want the path of an account, as slurm", "slurm.associations")
		m.When(time.Duration(s.Follow) < time.Second, "want a second or more", "slurm.associations_every")
	}
	if s.Rest == "" || strings.HasPrefix(s.Rest, "unix:/") {
		return
	}
	u, err := url.Parse(s.Rest)
	m.When(err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "", "want http://host:port or unix:/path", "slurm.rest")
}

// CheckPolicy says why a policy cannot be used, if it cannot: nodes that nobody
// holds jobs to their shares on cannot be shared.
func (c *Config) CheckPolicy(name string) error {
	kind, err := policy.Find(name)
	if err != nil {
		return err
	}
	if c.Backend != BackendSlurm || c.Slurm.Control != "none" || !kind.TimeShared {
		return nil
	}
	var whole []string
	for _, k := range policy.Kinds() {
		if !k.TimeShared {
			whole = append(whole, k.Name)
		}
	}
	return fmt.Errorf("%s shares processors, and without agents on the nodes (slurm.control: none) Slurm's jobs cannot be resized: choose one of %s, or slurm.control: agents",
		name, strings.Join(whole, ", "))
}

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/mistake"
)

// Config is all that can be set.
type Config struct {
	Listen   string            `yaml:"listen"`   // address of the API; not loopback: needs TLS
	Socket   string            `yaml:"socket"`   // for programs on this machine: a path, or none; empty: the usual place, and none with TLS
	Store    string            `yaml:"store"`    // sqlite:PATH or postgres://...
	Policy   string            `yaml:"policy"`   // for a new market; an old one goes on with its own
	Settings map[string]string `yaml:"settings"` // of the policy
	Rates    Rates             `yaml:"rates"`
	Lease    Duration          `yaml:"lease"`  // how long an agent goes on without its controller; 0: for ever
	Report   Duration          `yaml:"report"` // how often agents say how far their tasks are
	TLS      TLS               `yaml:"tls"`
	Seller   string            `yaml:"seller"`   // who sends the bills
	Currency string            `yaml:"currency"` // three letters
	Metrics  string            `yaml:"metrics"`  // owner, or public
	Backend  string            `yaml:"backend"`  // what runs the jobs: agents, or slurm
	Slurm    Slurm             `yaml:"slurm"`
	Nodes    Nodes             `yaml:"nodes"`
	Limits   Limits            `yaml:"limits"` // of one user
	Archive  Archive           `yaml:"archive"`
	Login    Login             `yaml:"login"`
	Agent    Agent             `yaml:"agent"`

	Given Given `yaml:"-"`
}

// TLS names certificates, in PEM files.
type TLS struct {
	Cert     string `yaml:"cert"`
	Key      string `yaml:"key"`
	ClientCA string `yaml:"client_ca"` // who signs the certificates of agents

	// Nodes are names, or patterns, of certificates that make nodes though they do
	// not have the organisational unit libra-node.
	Nodes []string `yaml:"nodes"`
}

// Agent is what an agent on a node needs.
type Agent struct {
	Server    string  `yaml:"server"`
	Node      string  `yaml:"node"` // default: the host's name
	TokenFile string  `yaml:"token_file"`
	CA        string  `yaml:"ca"`   // who signed the server's certificate
	Cert      string  `yaml:"cert"` // this node's, for mTLS
	Key       string  `yaml:"key"`
	State     string  `yaml:"state"` // directory
	CPUs      []int   `yaml:"cpus"`
	Rating    float64 `yaml:"rating"`   // 0: measured
	Headroom  float64 `yaml:"headroom"` // part of each processor kept for the system
	MemoryMB  int64   `yaml:"memory_mb"`
	DiskMB    int64   `yaml:"disk_mb"`
	GPUs      int     `yaml:"gpus"`      // that programs may have, numbered from 0
	GPUKind   string  `yaml:"gpu_kind"`  // what they are called
	Features  string  `yaml:"features"`  // what jobs can ask for, with commas
	Partition string  `yaml:"partition"` // of the market that the node is in
	Weight    float64 `yaml:"weight"`    // of all jobs against the rest of the machine, which has 1; 0: 100
	OnLease   string  `yaml:"on_lease"`  // stop, or continue

	JobMemoryMB  int64 `yaml:"job_memory_mb"` // of a job that asks for none, on each processor; 0: its processors' part; negative: no limit
	Processes    int64 `yaml:"processes"`     // of one job, and threads; 0: 10000; negative: any number
	AllProcesses int64 `yaml:"all_processes"` // of all jobs; 0: three quarters of the machine's; negative: any number
	OutputMB     int64 `yaml:"output_mb"`     // that a job may write to its output; 0: 4096; negative: any amount

	SystemUsers []string `yaml:"system_users"` // root and other users of the system that jobs may run as: none but these
	Private     []string `yaml:"private"`      // directories in memory of which each job has its own; default: /dev/shm and /run/lock; []: none

	Control    string  `yaml:"control"`    // slurm: that runs the jobs, and the agent holds them to their shares
	Processors int     `yaml:"processors"` // of the node as Slurm counts them; 0: as many as cpus
	Capacity   float64 `yaml:"capacity"`   // processors of the host that all jobs of the node may use; 0: all
}

// Default is what holds where the file says nothing.
func Default() Config {
	return Config{
		Listen: "127.0.0.1:7070", Policy: "libra", Rates: Rates{Processor: Amount(3600 * market.Unit)},
		Lease: Duration(5 * time.Minute), Report: Duration(2 * time.Second), Seller: "Libra", Currency: "XXX", Metrics: "owner",
		Nodes:   defaultNodes(),
		Backend: BackendAgents, Slurm: Slurm{Partition: "libra", Control: "agents", Follow: Duration(time.Minute)},
		Limits:  Limits{fair.Default()},
		Archive: Archive{Keep: Duration(90 * 24 * time.Hour)},
		Agent:   Agent{Server: "http://127.0.0.1:7070", OnLease: "stop", Weight: 100},
	}
}

// Read reads a file over the defaults.
func Read(path string) (Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	return parse(path, text)
}

func parse(path string, text []byte) (Config, error) {
	c := Default()
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return c, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	read := d.Decode(&c)
	wrong, err := mistake.Read(&root, &c, read)
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if err := d.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%s: there is more than one document", path)
	}
	if wrong = append(wrong, c.wrong().List...); len(wrong) > 0 {
		wrong.Find(&root)
		return c, wrong.In(path)
	}
	for key, is := range map[string]*bool{"policy": &c.Given.Policy, "settings": &c.Given.Settings, "rates": &c.Given.Rates} {
		*is = mistake.LineOf(&root, key) > 0
	}
	c.Given.Policy = c.Given.Policy || c.Given.Settings // settings are those of a policy
	c.Given.File = true
	return c, nil
}

// Given is what of a policy somebody named: what nobody did stays as the market has it.
type Given struct {
	Policy, Settings, Rates bool
	Processor, GPU          bool // of the rates these alone, by a flag
	Partitions              bool // and these
	NewGPUs                 bool // the rate of GPUs is for a market that has none yet
	File                    bool // there is a file, whatever it names
}

// Validate names all settings that make no sense.
func (c *Config) Validate() error { return c.wrong().In("") }

func (c *Config) wrong() mistakes {
	var m mistakes
	kind, err := policy.Find(c.Policy)
	if err != nil {
		m.Add(err.Error(), "policy")
	} else {
		m.settings(kind, c.Settings)
		if err := c.CheckPolicy(c.Policy); err != nil {
			m.Add(err.Error(), "policy", "slurm.control")
		}
	}
	c.wrongStore(&m)
	if err := checkListen(c.Listen); err != nil {
		m.Add(err.Error(), "listen")
	}
	m.When(c.Lease < 0 || c.Lease > 0 && c.Lease < Duration(5*time.Second), "want 0 (for ever), or at least 5s", "lease")
	switch {
	case c.Report < Duration(200*time.Millisecond) || c.Report > Duration(time.Minute):
		m.Add("want 200ms to 1m", "report")
	case c.Lease >= Duration(5*time.Second) && c.Report*2 > c.Lease:
		m.Add("want less than half of the lease", "report", "lease")
	}
	m.When((c.TLS.Cert == "") != (c.TLS.Key == ""), "cert and key go together", "tls")
	m.When(c.TLS.ClientCA != "" && c.TLS.Cert == "", "needs a cert and a key", "tls.client_ca")
	m.When(len(c.TLS.Nodes) > 0 && c.TLS.ClientCA == "", "needs a client_ca", "tls.nodes")
	m.When(len(c.Currency) != 3, "want three letters, such as EUR", "currency")
	m.When(c.Metrics != "owner" && c.Metrics != "public", "want owner or public", "metrics")
	c.Rates.wrong(&m, c.Settings)
	c.wrongPartitions(&m)
	c.Slurm.wrong(&m, c.Backend)
	c.Nodes.wrong(&m)
	c.Archive.wrong(&m)
	c.Login.wrong(&m)
	c.Agent.wrong(&m)
	return m
}

// wrongStore finds a store of a kind that there is not. What is behind its address is seen
// when it is opened.
func (c *Config) wrongStore(m *mistakes) {
	kind, rest, _ := strings.Cut(c.Store, ":")
	switch kind {
	case "sqlite":
		m.When(strings.TrimPrefix(rest, "//") == "", "want the path of a file, as in sqlite:/var/lib/libra/market.db", "store")
	case "postgres", "postgresql":
		m.When(!strings.HasPrefix(rest, "//"), "want postgres://USER@HOST/DATABASE", "store")
	default: // any other name is that of a file; who stands behind // may have a password
		m.When(strings.HasPrefix(rest, "//"), fmt.Sprintf("there is no store of the kind %s (want sqlite:PATH or postgres://USER@HOST/DATABASE)", kind), "store")
	}
}

func (a *Agent) wrong(m *mistakes) {
	m.When((a.Cert == "") != (a.Key == ""), "cert and key go together", "agent")
	m.When(a.State != "" && !filepath.IsAbs(a.State), "want an absolute path", "agent.state")
	m.When(a.Rating != 0 && !(a.Rating >= task.LeastRating && a.Rating <= task.MostRating),
		fmt.Sprintf("%v makes no sense (want %v to %v; 0: measured)", a.Rating, task.LeastRating, task.MostRating), "agent.rating")
	m.When(!(a.Headroom < 1), "want less than 1", "agent.headroom")
	m.When(a.MemoryMB < 0, "want 0 or more", "agent.memory_mb")
	m.When(a.DiskMB < 0, "want 0 or more", "agent.disk_mb")
	m.When(a.GPUs < 0 || a.GPUs > market.MaxGPUs, "want 0 or more", "agent.gpus")
	m.When(a.GPUs > 0 && a.Control != "", "want none with control: Slurm gives them out", "agent.gpus")
	m.When(a.GPUKind != "" && a.GPUs == 0, "want gpus with it: how many there are", "agent.gpu_kind")
	m.When(market.CheckFeatures(a.Features) != nil, "want words with commas between them: fast,ib", "agent.features")
	m.When(a.Features != "" && a.Control != "", "want none with control: Slurm says what a node is", "agent.features")
	m.When(a.Partition != "" && !market.Word(a.Partition), "want a word of letters, digits, - _ and .", "agent.partition")
	m.When(a.Partition != "" && a.Control != "", "want none with control: Slurm says whose a node is", "agent.partition")
	m.When(!(a.Weight >= 0), "want 0 or more", "agent.weight")
	switch {
	case a.Control != "" && a.Control != "slurm":
		m.Add("want slurm, or nothing", "agent.control")
	case a.Control == "" && (a.Processors != 0 || a.Capacity != 0):
		m.Add("processors and capacity go with control: slurm (otherwise cpus says what the node has)", "agent", "agent.processors", "agent.capacity")
	case a.Processors < 0 || !(a.Capacity >= 0 && a.Capacity <= 1e6):
		m.Add("processors and capacity are 0 or more", "agent", "agent.processors", "agent.capacity")
	case a.Capacity > 0 && a.Capacity < 0.01:
		m.Add("want at least 0.01, the least that can be shared out", "agent.capacity")
	}
	m.When(slices.ContainsFunc(a.Private, func(dir string) bool { return !filepath.IsAbs(dir) }), "want absolute paths", "agent.private")
	m.When(a.OnLease != "stop" && a.OnLease != "continue", "want stop or continue", "agent.on_lease")
}

// Duration is a time.Duration as people write it: 90s, 5m.
type Duration time.Duration

// UnmarshalYAML reads it.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	if n.Value == "0" {
		*d = 0
		return nil
	}
	v, err := ParseDuration(n.Value)
	if err != nil {
		return mistake.Misfit(n, err)
	}
	*d = Duration(v)
	return nil
}

// ParseDuration reads a period of time, which may be in days: 90s, 5m, 90d.
func ParseDuration(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	if days, found := strings.CutSuffix(text, "d"); found {
		if n, err := strconv.ParseInt(days, 10, 64); err == nil && n >= 0 && n < int64(math.MaxInt64/day) {
			return time.Duration(n) * day, nil
		}
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a period of time (want one such as 90s, 5m or 90d)", text)
	}
	return v, nil
}

// Amount is money in units, exactly.
type Amount market.Money

// String is the amount as it is written.
func (a Amount) String() string { return market.Money(a).String() }

// UnmarshalYAML reads it.
func (a *Amount) UnmarshalYAML(n *yaml.Node) error {
	m, err := market.ParseMoney(n.Value)
	if err != nil {
		return mistake.Misfit(n, err)
	}
	*a = Amount(m)
	return nil
}

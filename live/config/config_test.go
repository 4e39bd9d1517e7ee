package config

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

func TestAFileIsReadOverTheDefaults(t *testing.T) {
	c, err := parse("libra.yaml", []byte("policy: libra-plus\nsettings: {beta: 0.3}\nlease: 30s\nrates: {processor: 0.25}\nagent: {cpus: [0, 1]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Policy != "libra-plus" || c.Settings["beta"] != "0.3" || c.Lease != Duration(30*time.Second) ||
		c.Rates.Market().ProcessorHour != int64(900*market.Unit) || len(c.Warnings()) != 1 || !strings.Contains(c.Warnings()[0], "processor_hour: 900") || len(c.Agent.CPUs) != 2 || c.Listen != "127.0.0.1:7070" {
		t.Errorf("%+v", c)
	}
	if c, err := parse("slurm", []byte("agent: {control: slurm, node: n1, processors: 4, capacity: 0.4}")); err != nil || c.Agent.Control != "slurm" || c.Agent.Capacity != 0.4 {
		t.Errorf("an agent beside Slurm: %+v, %v", c.Agent, err)
	}
	for _, text := range []string{
		"backend: slurm\nslurm: {rest: 'unix:/run/slurmrestd.sock', partition: priced}",
		"backend: slurm\npolicy: edf-bf\nslurm: {rest: 'http://head:6820', control: none}", "slurm: {control: none}",
	} {
		if _, err := parse("slurm", []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if c, err := parse("nodes", []byte("nodes: {processors: 64, all_memory_mb: 0}")); err != nil || c.Nodes.Allowance().Processors != 64 ||
		c.Nodes.AllMemoryMB != 0 || c.Nodes.AllProcessors == 0 {
		t.Errorf("what nodes may announce: %+v, %v", c.Nodes, err)
	}
	for _, store := range []string{"sqlite:/a/b.db", "sqlite:///a/b.db", "/a/b:c.db", "b.db", "postgres://u:p@h/d", "postgresql:///d?host=/run"} {
		if c, err := parse("store", []byte("store: "+store)); err != nil || c.Store != store {
			t.Errorf("%s: %q, %v", store, c.Store, err)
		}
	}
	if c, err := parse("empty", nil); err != nil || c.Policy != "libra" {
		t.Errorf("an empty file: %+v, %v", c, err)
	}
}

func TestWhatMakesNoSenseIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"polcy: libra":                             `line 1: there is no setting "polcy" (did you mean policy?)`,
		"agent: {memory: 4}":                       `line 1: there is no setting "memory" in agent (did you mean memory_mb?)`,
		"zebra: 4":                                 `there is no setting "zebra"`,
		"listen: 7070":                             `line 1: listen: want an address such as 127.0.0.1:7070, not "7070" (it has no port`,
		"listen: 127.0.0.1":                        "listen: want an address",
		"listen: 127.0.0.1:70700":                  "(a port is a number up to 65535)",
		"listen: 'localhost:web'":                  "(a port is a number",
		"listen: 127.0.0.256:7070":                 "(127.0.0.256 is no name or address of a machine)",
		"listen: 'my host:7070'":                   "(my host is no name or address",
		"listen: http://127.0.0.1:7070":            "(did you mean 127.0.0.1:7070?)",
		"listen: '::1:7070'":                       "too many colons",
		"policy: nice":                             "policy: unknown policy",
		"settings: {gama: 1}":                      "gama",
		"store: mysql://a:secret@b/c":              "line 1: store: there is no store of the kind mysql (want sqlite:PATH or postgres://USER@HOST/DATABASE)",
		"store: 'sqlite:'":                         "store: want the path",
		"store: postgres:libra":                    "store: want postgres://",
		"lease: soon":                              `line 1: lease: "soon" is not a period`,
		"lease: 1s":                                "lease",
		"rates: {processor: 0.0000001}":            "six decimals",
		"rates: {processor: -1}":                   "rates",
		"rates: {processor_hour: -1}":              "rates",
		"rates: {memory: 0.5}":                     "memory_gb_hour",
		"rates: {disk: 0.5}":                       "disk_gb_hour",
		"tls: {cert: a.pem}":                       "tls",
		"agent: {on_lease: maybe}":                 "agent.on_lease",
		"agent: {state: here}":                     "agent.state",
		"agent: {rating: 5e-324}":                  "agent.rating",
		"agent: {rating: .nan}":                    "agent.rating",
		"agent: {control: pbs}":                    "agent.control",
		"agent: {capacity: 0.5}":                   "control: slurm",
		"agent: {control: slurm, capacity: -1}":    "agent: processors and capacity",
		"agent: {control: slurm, capacity: .nan}":  "agent: processors and capacity",
		"agent: {control: slurm, capacity: 0.001}": "agent.capacity",
		"agent: {control: slurm, processors: -2}":  "agent: processors and capacity",
		"nodes: {processors: -1}":                  "nodes: processors",
		"nodes: {names: ['[']}":                    "nodes: names",
		"backend: pbs":                             "backend",
		"slurm: {control: some}":                   "slurm.control",
		"slurm: {partition: 'a,,b'}":               "slurm.partition",
		"slurm: {partition: 'a,b,a'}":              "slurm.partition: want each partition once",
		"backend: slurm\nslurm: {partition: 'a,b'}\nrates: {partitions: {c: 2}}": "rates.partitions.c: want one of those in slurm.partition: a, b",
		"backend: slurm\nrates: {partitions: {libra: 2}}":                        "rates.partitions.libra: want several partitions in slurm.partition",
		"rates: {partitions: {a: 1, b: 2}}":                                      "rates.partitions: want default_partition",
		"rates: {partitions: {a: 0}}":                                            "rates.partitions.a: want a factor of the prices of partition a, more than 0",
		"rates: {partitions: {a: 1, b: 2}, default_partition: c}":                "rates.default_partition: want one of the partitions",
		"agent: {partition: 'a b'}":                                              "agent.partition",
		"agent: {partition: a, control: slurm}":                                  "agent.partition: want none with control",
		"slurm: {rest: 'host:6820'}":                                             "slurm.rest",
		"slurm: {partion: libra}":                                                `line 1: there is no setting "partion"`,
		"backend: slurm\nslurm: {control: none}":                                 "cannot be resized",
		"listen: ''":                                                             "listen",
		"listen: [1":                                                             "libra.yaml: line 1",
		"policy: libra\n---\npolicy: sjf":                                        "more than one",
		"currency: euros":                                                        "currency",
	} {
		_, err := parse("libra.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("policy: libra\nagent: {cpus: [0]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, err := parse("f", text); err == nil {
			if err := c.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestLimitsAreReadByTheirNames(t *testing.T) {
	c, err := parse("libra.yaml", []byte("limits: {commands: 2.5, jobs: 0, exempt: [broker, ci]}\n"))
	if err != nil || c.Limits.Commands != 2.5 || c.Limits.Jobs != 0 || !c.Limits.Free("ci") || c.Limits.Reads != Default().Limits.Reads {
		t.Errorf("%+v, %v", c.Limits, err)
	}
	for text, want := range map[string]string{"limits: {comands: 1}": "comands", "limits: {jobs: -1}": "jobs", "limits: 5": "names with values"} {
		if _, err := parse("libra.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// All mistakes of a file are said at once, each with its line and its setting.
func TestAllMistakesAreSaid(t *testing.T) {
	_, err := parse("libra.yaml", []byte(`listen: ""
lease: soon
polcy: libra
settings:
  gama: 1
  unused: 7
  alfa: 2
rates:
  processor_hour: -1
  memory: 0.5
tls: {cert: a.pem}
currency: euros
limits:
  comands: 1
  jobs: -1
slurm:
  partion: libra
  control: some
nodes: {processors: -1}
agent:
  memory_mb: much
  cpus: 3
  disk_mb: -1
  state: here
  on_lease: maybe
`))
	if err == nil {
		t.Fatal("a file full of mistakes is good")
	}
	got := strings.Split(err.Error(), "\n")
	want := []string{
		"line 1: listen: want an address",
		`line 2: lease: "soon" is not a period of time`,
		`line 3: there is no setting "polcy" (did you mean policy?)`,
		"line 5: settings.gama: ", "line 6: settings.unused: ", "line 7: settings.alfa: ",
		"line 9: rates.processor_hour: want 0 or more",
		"line 10: rates.memory: that was the price of a MB",
		"line 11: tls: cert and key go together",
		"line 12: currency: want three letters",
		"line 14: limits: ", "line 15: limits: ",
		`line 17: there is no setting "partion" in slurm (did you mean partition?)`,
		"line 18: slurm.control: want agents or none",
		"line 19: nodes: processors",
		`line 21: agent.memory_mb: want a whole number, not "much"`,
		`line 22: agent.cpus: want a list of whole numbers, such as [0, 1], not "3"`,
		"line 23: agent.disk_mb: want 0 or more",
		"line 24: agent.state: want an absolute path",
		"line 25: agent.on_lease: want stop or continue",
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("nothing is said of %q", want[i])
		case i >= len(want):
			t.Errorf("it is also said that %s", got[i])
		case !strings.HasPrefix(got[i], "libra.yaml: "+want[i]):
			t.Errorf("said %q, want %q", got[i], want[i])
		}
	}
}

// What something can listen on is good, whoever is there.
func TestAddressesToListenOn(t *testing.T) {
	for _, good := range []string{"127.0.0.1:7070", ":7070", "localhost:0", "[::1]:7070", "[fe80::1%eth0]:7070", "0.0.0.0:443", "node-1.cluster.example:7070", "market_1:7070"} {
		if _, err := parse("f", []byte("listen: '"+good+"'\ntls: {cert: a, key: b}\n")); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

// A market on several partitions of Slurm sells all of them: those that have no rate of their
// own at the market's prices, and who names none is in the first. One of one partition has none.
func TestPartitionsOfSlurmArePriced(t *testing.T) {
	c := Default()
	c.Backend, c.Slurm.Partition = BackendSlurm, "batch,fast,old"
	c.Rates.Partitions = map[string]Amount{"fast": 2_500_000}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	got := c.MarketRates()
	if want := (map[string]int64{"batch": 1_000_000, "fast": 2_500_000, "old": 1_000_000}); !maps.Equal(got.Partitions, want) || got.Partition != "batch" || got.Validate() != nil {
		t.Errorf("%v, %s: %v", got.Partitions, got.Partition, got.Validate())
	}
	now := trade.Rates{Partitions: map[string]int64{"fast": 3_000_000, "gone": 1}, Partition: "fast"}
	c.Divide(&now) // what is in force stays, as far as there is such a partition
	if want := (map[string]int64{"batch": 1_000_000, "fast": 3_000_000, "old": 1_000_000}); !maps.Equal(now.Partitions, want) || now.Partition != "fast" {
		t.Errorf("%v, %s", now.Partitions, now.Partition)
	}
	c.Slurm.Partition, c.Rates.Partitions = "libra", nil
	if got = c.MarketRates(); len(got.Partitions) > 0 || got.Partition != "" {
		t.Errorf("%v, %s", got.Partitions, got.Partition)
	}
}

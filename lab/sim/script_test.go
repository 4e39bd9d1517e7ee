package sim_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/sim"
	"github.com/libra-market/libra/lab/workload"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/*.txt; review the diff by hand")

// Every play in testdata tells one rule of the papers: comments say what must
// happen and why, commands set the stage, and after ---- stands everything the
// cluster said, but for wake-ups, which are between it and its driver.
//
//	cluster nodes=2 policy=libra spare=none   a new stage; other words are settings of the policy
//	                                          (partitions=batch=1,fast=2.5: what prices are times in each, the usual one first)
//	node rating=2 memory=100 processors=2 gpus=2 gpu-price=5 price=1 [name=.. partition=..]   one more node, where they are not all plain
//	job a submit=0 estimate=10 procs=1 deadline=20 budget=15 [runtime=.. penalty=.. soft memory=.. gpus=.. threads=.. wish=.. partition=.. nodelist=.. exclude=..]
//	node-down at=5 node=1                     and node-up
//	run                                       plays it, in a simulated world
//
// An answer ends at the first empty line. "a at 0.5" means that job a advances
// by half a second of work a second from then on.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := perform(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(text) {
				t.Errorf("the play went differently:\n%s", firstDifference(got, string(text)))
			}
		})
	}
}

// perform plays a script and returns it with the answers it got.
func perform(t *testing.T, script string) string {
	t.Helper()
	var out strings.Builder
	var p *play
	lines := strings.Split(strings.TrimRight(script, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		out.WriteString(line + "\n")
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if words[0] == "cluster" {
			p = &play{}
		}
		if p == nil {
			t.Fatalf("line %d: a play begins with a cluster", i+1)
		}
		if words[0] != "run" {
			if err := p.prepare(words[0], words[1:]); err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			continue
		}
		answer, err := p.run()
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		out.WriteString("----\n" + answer)
		for i+1 < len(lines) && lines[i+1] != "" {
			i++ // the answer it got last time
		}
	}
	return out.String()
}

// play is one stage being set.
type play struct {
	policy  string
	set     map[string]string
	nodes   []market.Node
	jobs    []workload.Arrival
	changes []sim.NodeChange
	rates   trade.Rates // of partitions
}

func (p *play) prepare(command string, words []string) error {
	word := func(text string) (key, value string) {
		key, value, _ = strings.Cut(text, "=")
		return key, value
	}
	switch command {
	case "cluster":
		p.set = map[string]string{}
		for _, w := range words {
			switch key, value := word(w); key {
			case "policy":
				p.policy = value
			case "partitions":
				if err := p.addPartitions(value); err != nil {
					return err
				}
			case "nodes":
				n, err := strconv.Atoi(value)
				if err != nil {
					return err
				}
				p.nodes = market.PlainNodes(n)
			default:
				p.set[key] = value
			}
		}
	case "node":
		n := market.Plain()
		for _, w := range words {
			key, value := word(w)
			switch key {
			case "gpu-kind":
				n.GPUKind = value
				continue
			case "name":
				n.Name = value
				continue
			case "partition":
				n.Partition = value
				continue
			}
			x, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return err
			}
			switch key {
			case "gpus":
				n.GPUs = int(x)
			case "gpu-price":
				n.Base.GPU = market.Price(x)
			case "rating":
				n.Rating = x
			case "memory":
				n.Memory = int64(x)
			case "processors":
				n.Processors = int(x)
			case "price":
				n.Base.Processor = market.Price(x)
			case "memory-price":
				n.Base.Memory = market.Price(x)
			default:
				return fmt.Errorf("a node has no %q", key)
			}
		}
		p.nodes = append(p.nodes, n)
	case "node-down", "node-up":
		c := sim.NodeChange{Down: command == "node-down"}
		for _, w := range words {
			key, value := word(w)
			x, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return err
			}
			switch key {
			case "at":
				c.At = market.Time(x)
			case "node":
				c.Node = int(x)
			default:
				return fmt.Errorf("%s has no %q", command, key)
			}
		}
		p.changes = append(p.changes, c)
	case "job":
		return p.addJob(words[0], words[1:])
	default:
		return fmt.Errorf("unknown command %q", command)
	}
	return nil
}

func (p *play) addPartitions(list string) error {
	p.rates.Partitions = map[string]int64{}
	for i, one := range strings.Split(list, ",") {
		name, text, _ := strings.Cut(one, "=")
		factor, err := market.ParseMoney(text)
		if err != nil {
			return err
		}
		p.rates.Partitions[name] = int64(factor)
		if i == 0 {
			p.rates.Partition = name
		}
	}
	return p.rates.Validate()
}

func (p *play) addJob(name string, words []string) error {
	a := workload.Arrival{Actual: -1, Job: market.Job{
		Name: name, Width: 1, SLA: market.SLA{Deadline: market.Never, Budget: market.Unlimited},
	}}
	j, where := &a.Job, market.Where{}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "soft":
			j.SLA.Soft = true
			continue
		case "wish":
			wish, err := market.ParseObjective(value)
			if err != nil {
				return err
			}
			j.Objective = wish
			continue
		case "gpu-kind":
			j.GPUKind = value
			continue
		case "partition":
			where.Partition = value
			continue
		case "nodelist":
			where.Nodes = value
			continue
		case "exclude":
			where.Exclude = value
			continue
		}
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return err
		}
		switch key {
		case "submit":
			j.Submit = market.Time(x)
		case "estimate":
			j.Estimate = market.Work(x)
		case "runtime":
			a.Actual = market.Work(x)
		case "procs":
			j.Width = int32(x)
		case "deadline":
			j.SLA.Deadline = market.Time(x)
		case "budget":
			j.SLA.Budget = market.Price(x)
		case "penalty":
			j.SLA.Penalty = market.Price(x)
		case "memory":
			j.Memory = int64(x)
		case "gpus":
			j.GPUs = int32(x)
		case "threads":
			j.Threads = int32(x)
		default:
			return fmt.Errorf("a job has no %q", key)
		}
	}
	if where != (market.Where{}) {
		j.Where = &where
	}
	if a.Actual < 0 {
		a.Actual = j.Estimate // unless told otherwise, users estimate well
	}
	p.jobs = append(p.jobs, a)
	return nil
}

// run plays what was prepared and tells everything that was said.
func (p *play) run() (string, error) {
	kind, err := policy.Find(p.policy)
	if err != nil {
		return "", err
	}
	chosen, err := kind.New(p.set)
	if err != nil {
		return "", err
	}
	c, err := cluster.New(p.nodes, chosen)
	if err != nil {
		return "", err
	}
	var said bytes.Buffer
	var rows []report.Row
	table := report.NewTable(p.nodeOf, func(r *report.Row) error { rows = append(rows, *r); return nil })
	summary := report.NewSummary(p.policy, p.processors())
	teller := teller{out: tabwriter.NewWriter(&said, 0, 0, 2, ' ', tabwriter.AlignRight), nodeOf: p.nodeOf}
	see := func(r *market.Record) {
		teller.see(r)
		table.See(r)
		summary.See(r)
	}
	var world sim.World = c
	parted, dearer := sim.SellPartitions(world, &p.rates)
	if dearer {
		world = parted
	}
	if gpus, sold := sim.SellGPUs(world, market.Each(p.nodes), kind.TimeShared, &p.rates); sold {
		world, see = gpus, gpus.Seer(see)
	}
	if dearer {
		see = parted.Seer(see)
	}
	err = sim.Run(context.Background(), world, sim.InPartitions(workload.FromSlice(p.jobs), &p.rates), sim.Options{See: see, Changes: p.changes})
	if err != nil {
		return "", err
	}
	if err := table.Close(); err != nil {
		return "", err
	}
	summary.Close()
	if err := teller.out.Flush(); err != nil {
		return "", err
	}
	for i := range rows {
		rows[i].Nodes = nil // told above
	}
	p.writeTable(&said, rows)
	fmt.Fprintf(&said, "in time %d of %d, revenue %s\n", summary.MetDeadline, summary.Jobs, plain(summary.Revenue))
	return said.String(), nil
}

func (p *play) writeTable(out *bytes.Buffer, rows []report.Row) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "job\toutcome\tstart\tfinish\tlate\tcost\tutility, or why not")
	for i := range rows {
		r := &rows[i]
		if r.Outcome != report.Completed {
			fmt.Fprintf(w, "%s\t%s\t-\t-\t-\t-\t%s\n", r.Label, r.Outcome, r.Reason)
			continue
		}
		late, cost, utility := "-", "-", "-"
		if l := r.Finish - p.jobs[i].Job.Due(); l > market.TimeSlack {
			late = plain(float64(l))
		}
		if r.Priced {
			cost = plain(float64(r.Cost))
		}
		if r.Valued {
			utility = plain(float64(r.Utility))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Label, r.Outcome,
			plain(float64(r.Start)), plain(float64(r.Finish)), late, cost, utility)
	}
	_ = w.Flush() // into memory
}

func (p *play) processors() (n int) {
	for i := range p.nodes {
		n += p.nodes[i].Processors
	}
	return n
}

func (p *play) nodeOf(proc int) int {
	for i := range p.nodes {
		if proc -= p.nodes[i].Processors; proc < 0 {
			return i
		}
	}
	return -1
}

// teller puts records into words.
type teller struct {
	out    *tabwriter.Writer
	nodeOf func(int) int
	waits  map[market.JobID]bool
	names  map[market.JobID]string
}

func (t *teller) see(r *market.Record) {
	if t.waits == nil {
		t.waits, t.names = map[market.JobID]bool{}, map[market.JobID]string{}
	}
	if r.Kind == market.Submitted {
		t.names[r.Job] = r.Spec.Name
	}
	if text := t.words(r); text != "" {
		fmt.Fprintf(t.out, "%s\t  %s\n", plain(float64(r.At)), text)
	}
}

func (t *teller) words(r *market.Record) string {
	name := ""
	if r.Spec != nil {
		name = r.Spec.Name
	}
	switch r.Kind {
	case market.NodeDown, market.NodeUp:
		return fmt.Sprintf("node %d is %s", r.Node, strings.TrimPrefix(r.Kind.String(), "node-"))
	case market.Queued:
		t.waits[r.Job] = true
		return name + " waits"
	case market.Accepted:
		text := fmt.Sprintf("%s accepted on %s, cost %s", name, t.nodes(r.Procs), plain(float64(r.Price)))
		if r.Finish.Finite() {
			text += ", due " + plain(float64(r.Finish))
		}
		return text
	case market.Rejected:
		return fmt.Sprintf("%s refused: %s", name, r.Reason)
	case market.Granted:
		if t.waits[r.Job] {
			delete(t.waits, r.Job)
			text := fmt.Sprintf("%s starts on %s", name, t.nodes(r.Procs))
			if r.Speed != 1 {
				text += " at " + plain(r.Speed)
			}
			return text
		}
		return fmt.Sprintf("%s at %s", name, plain(r.Speed))
	case market.Shared:
		var parts []string
		for _, s := range r.Slices {
			parts = append(parts, fmt.Sprintf("%s at %s", t.names[s.Job], plain(s.Speed)))
		}
		if len(parts) == 0 {
			return ""
		}
		return fmt.Sprintf("on %d: %s", t.nodeOf(int(r.Proc)), strings.Join(parts, ", "))
	case market.Evicted:
		return fmt.Sprintf("%s loses its place and its progress", name)
	case market.Stopped:
		return fmt.Sprintf("%s stopped: %s", name, r.Reason)
	case market.Completed:
		return fmt.Sprintf("%s done", name)
	}
	return ""
}

func (t *teller) nodes(procs market.Procs) string {
	var names []string
	for proc := range procs.All() {
		names = append(names, strconv.Itoa(t.nodeOf(proc)))
	}
	return strings.Join(names, ",")
}

// plain writes a number as a person would: at most six decimals.
func plain(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'f', -1, 64)
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			from := max(0, i-4)
			return fmt.Sprintf("line %d\n--- got\n%s\n--- want\n%s", i+1,
				strings.Join(g[from:min(len(g), i+6)], "\n"), strings.Join(w[min(from, len(w)):min(len(w), i+6)], "\n"))
		}
	}
	return "the script goes on where the play ended"
}

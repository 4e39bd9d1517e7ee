package exchange_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/*.txt; review the diff by hand")

// Every play in testdata tells one thing about the market floor: comments say
// what must happen and why, and under each command stands, indented, everything
// the exchange said: outcomes, refusals with their offers, what changed of jobs,
// bills, postings in the ledger, and orders to nodes.
//
//	market libra processor=1 gamma=1      a new market at second 0; other words are settings of the policy
//	market libra live unused=0.5          the same with the rules of a live market
//	node n1 processors=2 rating=1 speed=1.25 memory=1000 boot=b holds=1
//	account lab/alice grant=100 credit=5 limit=50, or no-limit
//	transfer alice lab/alice lab/bob 10   and close, by root
//	submit alice estimate=10 deadline=20 budget=15 ...      and quote, preview
//	take alice q3 name=a                  a quote
//	cancel alice 1                        a job, or a quote
//	at 12.5                               time passes, with the ticks asked for
//	used 1 5                              a task (job, or job.rank, or job.rank.attempt) has had so many seconds
//	ended 1 10 exit=0 ; 2 7               several in one report; on=5.9: by the clock of the node
//	down n1 why                           and up
//	epoch libra-plus beta=0.5
//	show 1, accounts, nodes, prices, track, timeline 1, news 1 5, next, settings, owned lab
//
// Users are named as they are; root owns the cluster.
func TestPlays(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no plays: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := perform(t, string(text), false)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(text) {
				t.Errorf("the play went differently:\n%s", firstDifference(got, string(text)))
			}
			// A market that is taken down and set up again after every command goes on
			// as if nothing had been.
			if again := perform(t, string(text), true); again != got {
				t.Errorf("from snapshots the play went differently:\n%s", firstDifference(again, got))
			}
		})
	}
}

// perform plays a script and returns it with the answers it got.
func perform(t *testing.T, script string, restored bool) string {
	t.Helper()
	var out strings.Builder
	var p *play
	for i, line := range strings.Split(strings.TrimRight(script, "\n"), "\n") {
		if strings.HasPrefix(line, " ") {
			continue // what was said last time
		}
		out.WriteString(line + "\n")
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if words[0] == "market" {
			p = newPlay(t)
		}
		if p == nil {
			t.Fatalf("line %d: a play begins with a market", i+1)
		}
		if err := p.act(words[0], words[1:]); err != nil {
			t.Fatalf("line %d: %s: %v", i+1, line, err)
		}
		out.WriteString(p.said.String())
		p.said.Reset()
		if restored && p.x.Opened() {
			p.restore()
		}
	}
	return out.String()
}

// play is one market being played.
type play struct {
	*floor
	said    strings.Builder
	start   int64
	jobs    map[int64][]string         // what was last said of each
	running map[string]map[string]bool // by node: the orders last said
}

func newPlay(t *testing.T) *play {
	t.Helper()
	const start = 1_700_000_000 * second
	return &play{
		start: start, jobs: map[int64][]string{}, running: map[string]map[string]bool{},
		floor: &floor{TB: t, x: exchange.New("test"), now: start, all: map[int64]trade.Job{}},
	}
}

// restore goes on with what a snapshot holds.
func (p *play) restore() {
	text, err := json.Marshal(p.x.Snapshot())
	if err != nil {
		p.Fatal(err)
	}
	if p.x, err = exchange.Restore("test", text); err != nil {
		p.Fatal(err)
	}
}

// act carries out one command of a play. An error means that the script makes no
// sense: what the exchange refuses is part of the play.
func (p *play) act(command string, words []string) error {
	switch command {
	case "market", "epoch", "node", "down", "up":
		return p.actOwner(command, words)
	case "account", "transfer", "close":
		return p.actMoney(command, words)
	case "submit", "quote", "preview", "take", "cancel":
		return p.actUser(command, words)
	case "used", "ended":
		return p.actReport(command, words)
	case "at":
		seconds, err := strconv.ParseFloat(words[0], 64)
		if err != nil {
			return err
		}
		p.pass(p.start + int64(seconds*1e6))
		return nil
	default:
		return p.look(command, words)
	}
}

// pass lets time pass, with the ticks asked for in between.
func (p *play) pass(until int64) {
	for {
		at, asked := p.x.Next()
		if !asked || at > until {
			break
		}
		p.now = max(p.now, at)
		before := p.said.Len()
		mark := fmt.Sprintf("  at %s\n", p.clock(p.now))
		p.said.WriteString(mark)
		p.command(trade.Command{Tick: &trade.Tick{}})
		if p.said.Len() == before+len(mark) { // nothing that shows
			text := p.said.String()[:before]
			p.said.Reset()
			p.said.WriteString(text)
		}
	}
	p.now = until
}

func (p *play) actOwner(command string, words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("a name")
	}
	c := trade.Command{By: owner}
	name, set := words[0], pairs(words[1:])
	switch command {
	case "market":
		rates := trade.Rates{Processor: set.money("processor", 1), Memory: set.money("memory", 0), Disk: set.money("disk", 0)}
		c.Open = &trade.Open{Policy: name, Rates: rates, Settings: set.settings(name)}
	case "epoch":
		c.Epoch = &trade.Epoch{Policy: name}
		if set.has("processor") {
			c.Epoch.Rates = &trade.Rates{Processor: set.money("processor", 1), Memory: set.money("memory", 0), Disk: set.money("disk", 0)}
		}
		c.Epoch.Settings = set.settings(name)
	case "node":
		c.By = trade.Identity{User: name, Role: trade.RoleNode}
		rating := set.number("rating", 1)
		c.Enlist = &task.Hello{
			Node: name, Processors: int(set.number("processors", 1)), Rating: rating, Speed: set.number("speed", rating),
			MemoryMB: int64(set.number("memory", 1000)), DiskMB: int64(set.number("disk", 1000)), Boot: set.text("boot", "b"), Runs: set.text("runs", ""), Holds: set.flag("holds"),
		}
	case "down":
		c.Node = &trade.NodeChange{Node: name, Why: strings.Join(words[1:], " ")}
	case "up":
		c.Node = &trade.NodeChange{Node: name, Up: true}
	}
	p.command(c)
	if command == "down" {
		return nil
	}
	return set.unused()
}

func (p *play) actMoney(command string, words []string) error {
	money := func(by trade.Identity, m trade.MoneyCommand) { p.command(trade.Command{By: by, Money: &m}) }
	if command == "transfer" {
		if len(words) != 4 {
			return fmt.Errorf("who, from, to, amount")
		}
		amount, err := strconv.ParseFloat(words[3], 64)
		money(who(words[0]), trade.MoneyCommand{Op: "transfer", From: words[1], To: words[2], Amount: micros(amount)})
		return err
	}
	path, set := words[0], pairs(words[1:])
	if command == "close" {
		money(owner, trade.MoneyCommand{Op: "close", To: path})
		return nil
	}
	if _, open := p.x.Account(path); !open {
		user := set.text("user", path[strings.LastIndex(path, "/")+1:])
		money(owner, trade.MoneyCommand{Op: "open", To: path, User: user})
	}
	if set.flag("no-limit") {
		money(owner, trade.MoneyCommand{Op: "limit", To: path, None: true})
	}
	for _, op := range []string{"limit", "credit", "grant"} {
		if set.has(op) {
			money(owner, trade.MoneyCommand{Op: op, To: path, Amount: set.money(op, 0)})
		}
	}
	return set.unused()
}

func (p *play) actUser(command string, words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("who, and what")
	}
	c := trade.Command{By: who(words[0])}
	if command == "cancel" {
		c.Cancel = &trade.Cancel{}
		if id, err := strconv.ParseInt(words[1], 10, 64); err == nil {
			c.Cancel.Job = id
		} else {
			c.Cancel.Quote = words[1]
		}
		p.command(c)
		return nil
	}
	s := &trade.Submit{}
	words = words[1:]
	if command == "take" {
		s.Quote, words = words[0], words[1:]
	}
	set := pairs(words)
	s.Request = set.request(command == "submit")
	for _, id := range s.Request.After { // the controller looks up what has ended
		if j, known := p.all[id]; known && j.State.Final() {
			s.Settled = append(s.Settled, trade.Settled{Job: id, Owner: j.Owner, State: j.State})
		}
	}
	switch command {
	case "quote":
		c.Quote = &trade.AskQuote{Request: s.Request, TTLMS: int64(set.number("ttl", 0) * 1e3)}
	case "preview":
		p.x.At(p.now)
		o, err := p.x.Preview(c.By, s.Request)
		p.outcome(o, err)
		return set.unused()
	default:
		c.Submit = s
	}
	p.command(c)
	return set.unused()
}

// actReport is what agents say of one task or, between semicolons, several.
func (p *play) actReport(command string, words []string) error {
	m := &trade.Measured{}
	for part := range strings.SplitSeq(strings.Join(words, " "), ";") {
		said := strings.Fields(part)
		if len(said) < 2 {
			return fmt.Errorf("which task, and its seconds")
		}
		key, err := p.key(said[0])
		if err != nil {
			return err
		}
		seconds, err := strconv.ParseFloat(said[1], 64)
		if err != nil {
			return err
		}
		set := pairs(said[2:])
		s := task.Status{
			Key: key, State: task.Running, CPUUS: micros(seconds), Exit: int(set.number("exit", 0)), Signal: set.text("signal", ""),
			OOM: set.flag("oom"), DeclinedUS: set.money("declined", 0), Part: task.Part(set.text("part", "")),
			MandatoryCPUUS: set.money("mandatory", 0), Cancelled: set.flag("scancel"), Error: strings.ReplaceAll(set.text("error", ""), "_", " "),
		}
		if command == "ended" {
			s.State = task.State(set.text("state", string(task.Ended)))
			if set.has("on") {
				s.StartedUS, s.EndedUS = p.job(key.Job).StartedUS, p.start+set.money("on", 0)
			}
		}
		if err := set.unused(); err != nil {
			return err
		}
		m.Tasks = append(m.Tasks, s)
	}
	before := len(p.x.Forget("", m.Tasks))
	p.command(trade.Command{Report: m})
	ends := 0
	for i := range m.Tasks {
		if m.Tasks[i].State.Final() {
			ends++
		}
	}
	if after := len(p.x.Forget("", m.Tasks)); after != ends || before > after {
		p.Errorf("of %d ends that were reported, %d need not be again, and %d before", ends, after, before)
	}
	return nil
}

// key reads the name of a task; what is left out is the first rank, and the
// attempt under way.
func (p *play) key(text string) (task.Key, error) {
	var k task.Key
	parts := strings.Split(text, ".")
	id, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return k, err
	}
	k.Job, k.Attempt = id, p.job(id).Attempt
	for i, to := range []*int{&k.Rank, &k.Attempt} {
		if len(parts) > i+1 {
			if *to, err = strconv.Atoi(parts[i+1]); err != nil {
				return k, err
			}
		}
	}
	return k, nil
}

func who(name string) trade.Identity {
	if name == owner.User {
		return owner
	}
	return trade.Identity{User: name, Role: trade.RoleUser}
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

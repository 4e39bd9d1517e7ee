package exchange_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Days on the floor under every policy, made up by a seeded stream in the words of
// the plays: what became of the jobs and of the money is kept as a line, and all
// that was said as a number. Plays explain; these only notice that something is
// not as it was. Who means it rewrites the lines with -update, and says why.
func TestPlaysOfWholeDays(t *testing.T) {
	const golden = "testdata/days.golden"
	var out strings.Builder
	for _, kind := range policy.Kinds() {
		for day := range uint64(3) {
			fmt.Fprintf(&out, "%s day %d: %s\n", kind.Name, day, playDay(t, kind, day))
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("days go differently:\n%s", firstDifference(out.String(), string(want)))
	}
}

// day is a play that makes itself up.
type day struct {
	*play
	draw *rand.Rand
	kind policy.Kind
	said strings.Builder
	cpu  map[task.Key]float64
}

func playDay(t *testing.T, kind policy.Kind, seed uint64) string {
	t.Helper()
	d := &day{play: newPlay(t), draw: rand.New(rand.NewPCG(seed, 5)), kind: kind, cpu: map[task.Key]float64{}}
	d.line("market %s processor=1 memory=0.0001", kind.Name)
	d.line("node n1 processors=%d rating=1 speed=1.25", 1+d.draw.IntN(2))
	d.line("node n2 processors=2 rating=1.5 speed=2 memory=400")
	d.line("account lab limit=%d", 500+d.draw.IntN(900))
	d.line("account lab/alice grant=600 credit=50")
	d.line("account lab/bob grant=500")
	d.line("account root grant=100")
	at := 0.0
	for range 110 {
		at += d.draw.Float64() * 4
		d.line("at %.3f", at)
		d.something()
		if d.draw.IntN(12) == 0 {
			d.restore()
		}
	}
	for _, look := range []string{"accounts", "nodes", "prices", "track", "settings", "next", "owned lab"} {
		d.line("%s", look)
	}
	digest := fnv.New64a()
	digest.Write([]byte(d.said.String()))
	counts := map[trade.State]int{}
	for _, j := range d.all {
		counts[j.State]++
	}
	account, _ := d.x.Account("@owner")
	return fmt.Sprintf("%v, owner has %s, said %016x", counts, money(account.Free), digest.Sum64())
}

// line acts one line of a play.
func (d *day) line(format string, a ...any) {
	d.Helper()
	text := fmt.Sprintf(format, a...)
	words := strings.Fields(text)
	if err := d.act(words[0], words[1:]); err != nil {
		d.Fatalf("%s: %v", text, err)
	}
	fmt.Fprintf(&d.said, "%s\n%s", text, d.play.said.String())
	d.play.said.Reset()
}

func (d *day) something() {
	by := []string{"alice", "bob", "bob", "root"}[d.draw.IntN(4)]
	switch d.draw.IntN(16) {
	case 0, 1, 2, 3, 4:
		d.line("submit %s %s", by, d.request())
	case 5:
		d.line("quote %s %s ttl=%d", by, d.request(), 1+d.draw.IntN(20))
	case 6:
		d.line("take %s q%d argv=/bin/x", by, 1+d.draw.IntN(max(1, len(d.all))))
	case 7:
		d.line("cancel %s %d", by, 1+d.draw.IntN(max(1, len(d.all))))
	case 8:
		d.line("preview %s %s", by, d.request())
	case 9:
		node := fmt.Sprint("n", 1+d.draw.IntN(2))
		d.line("%s %s", []string{"down", "up", "up"}[d.draw.IntN(3)], node)
	case 10:
		d.line("transfer %s lab/%s lab/alice %d", by, by, d.draw.IntN(40))
	case 11:
		d.line("show %d", 1+d.draw.IntN(max(1, len(d.all))))
	default:
		d.report()
	}
}

func (d *day) request() string {
	estimate := 1 + d.draw.IntN(20)
	text := fmt.Sprintf("estimate=%d", estimate)
	add := func(chance int, format string, a ...any) {
		if d.draw.IntN(10) < chance {
			text += " " + fmt.Sprintf(format, a...)
		}
	}
	imprecise := d.kind.Imprecise && d.draw.IntN(2) == 0
	deadline := imprecise || d.draw.IntN(5) > 0
	if deadline {
		text += fmt.Sprintf(" deadline=%d", estimate*(2+d.draw.IntN(8))/2+1)
		add(4, "penalty=%d", 1+d.draw.IntN(3))
	}
	switch {
	case imprecise:
		text += fmt.Sprintf(" budget=%d optional=%d rate=0.%d", 5+d.draw.IntN(40), 1+d.draw.IntN(10), d.draw.IntN(10))
	case deadline:
		add(4, "soft")
		add(7, "budget=%d", d.draw.IntN(90))
	default:
		add(7, "budget=%d", 10+d.draw.IntN(90))
	}
	switch {
	case !imprecise && d.draw.IntN(6) == 0:
		text += fmt.Sprintf(" array=%d-%d lanes=%d", d.draw.IntN(3), 3+d.draw.IntN(4), d.draw.IntN(3))
	case !imprecise && d.draw.IntN(6) == 0:
		text += " threads=2 procs=2"
	default:
		add(3, "procs=%d", 1+d.draw.IntN(3))
	}
	add(3, "memory=%d", d.draw.IntN(300))
	add(2, "overrun=%s", []string{"late", "kill"}[d.draw.IntN(2)])
	add(1, "no-restart")
	add(2, "after=%d", 1+d.draw.IntN(max(1, len(d.all))))
	add(2, "class=%d", d.draw.IntN(3))
	return text
}

// report says how far one of the tasks is that run, or that it has ended.
func (d *day) report() {
	orders := append(d.x.Orders("n1"), d.x.Orders("n2")...)
	if len(orders) == 0 {
		return
	}
	o := &orders[d.draw.IntN(len(orders))]
	key := o.Spec.Key
	d.cpu[key] += d.draw.Float64() * 8 * max(0.2, o.CPU)
	part := ""
	if o.Spec.Optional != nil && d.cpu[key] > 5 {
		part = " part=optional mandatory=5"
	}
	switch {
	case d.draw.IntN(3) > 0 && o.Stop == task.GoOn:
		d.line("used %s %.3f%s", key, d.cpu[key], part)
	case d.draw.IntN(8) == 0:
		d.line("ended %s %.3f state=%s error=why", key, d.cpu[key], []task.State{task.Lost, task.Refused}[d.draw.IntN(2)])
	default:
		d.line("ended %s %.3f exit=%d declined=%d%s", key, d.cpu[key], d.draw.IntN(5)/4, d.draw.IntN(2), part)
	}
}

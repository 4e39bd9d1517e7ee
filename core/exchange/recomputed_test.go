package exchange_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// reader works amounts out from what is printed on a receipt, and knows nothing else.
type reader struct {
	*testing.T
	known map[string]float64
	text  string
}

func read(t *testing.T, r *trade.Receipt) *reader {
	known := map[string]float64{}
	for _, s := range r.Settings {
		if v, err := strconv.ParseFloat(s.Value, 64); err == nil {
			known[s.Name] = v
		}
	}
	for _, in := range r.Inputs {
		known[in.Name] = in.Value
	}
	return &reader{T: t, known: known}
}

var word = regexp.MustCompile(`^[A-Za-z]+( (price|rate|max|free|of kind [0-9]+))*`)

// work is the value of a formula: sums of products of names, numbers and brackets.
func (r *reader) work(text string) float64 {
	r.text = text
	v := r.sum()
	if r.text != "" {
		r.Fatalf("%q is left of %q", r.text, text)
	}
	return v
}

func (r *reader) next(signs string) byte {
	r.text = strings.TrimLeft(r.text, " ")
	if r.text == "" || !strings.Contains(signs, r.text[:1]) {
		return 0
	}
	sign := r.text[0]
	r.text = r.text[1:]
	return sign
}

func (r *reader) sum() float64 {
	v := r.product()
	for {
		switch r.next("+-") {
		case '+':
			v += r.product()
		case '-':
			v -= r.product()
		default:
			return v
		}
	}
}

func (r *reader) product() float64 {
	v := r.factor()
	for {
		switch r.next("*/") {
		case '*':
			v *= r.factor()
		case '/':
			v /= r.factor()
		default:
			return v
		}
	}
}

func (r *reader) factor() float64 {
	if r.next("(") != 0 {
		v := r.sum()
		if r.next(")") == 0 {
			r.Fatalf("no bracket before %q", r.text)
		}
		return v
	}
	r.text = strings.TrimLeft(r.text, " ")
	if name := word.FindString(r.text); name != "" {
		for r.known[name] == 0 && strings.Contains(name, " ") { // a name of fewer words
			if _, is := r.known[name]; is {
				break
			}
			name = name[:strings.LastIndex(name, " ")]
		}
		v, is := r.known[name]
		if !is {
			r.Fatalf("%q is not on the receipt", name)
		}
		r.text = r.text[len(name):]
		return v
	}
	end := strings.IndexFunc(r.text, func(c rune) bool { return c != '.' && (c < '0' || c > '9') })
	if end < 0 {
		end = len(r.text)
	}
	v, err := strconv.ParseFloat(r.text[:end], 64)
	if err != nil {
		r.Fatalf("%q: %v", r.text, err)
	}
	r.text = r.text[end:]
	return v
}

// Whoever reads a receipt can work out what it says: the price by its formula, the
// work by what was measured, and every amount. Under every policy, with and without a
// deadline, on nodes that are not of speed 1, with memory that has a price,
// in a partition that is dearer than the market.
func TestReceiptsCanBeWorkedOut(t *testing.T) {
	type way struct {
		policy.Kind
		set map[string]string
	}
	var ways []way
	for _, kind := range policy.Kinds() {
		ways = append(ways, way{kind, nil})
		if kind.Name == "make-way" || kind.Name == "going-rate" {
			ways = append(ways, way{kind, map[string]string{"price": "posted", "follow": "0.5"}}, way{kind, map[string]string{"further": "0.25"}})
		}
	}
	for _, kind := range ways {
		for i, deadline := range []int64{0, 40_000, 0, 40_000} {
			t.Run(kind.Name+kind.set["price"]+kind.set["further"]+strconv.Itoa(i), func(t *testing.T) {
				f := openUnder(t, kind.Name, 1, nil)
				f.do(trade.Command{By: owner, Epoch: &trade.Epoch{
					Policy: kind.Name, Settings: epoch.Complete(kind.Name, kind.set, epoch.LiveSettings()),
					Rates: &trade.Rates{ProcessorHour: 3_700_000, MemoryHour: 911_000, DiskHour: 13_000, Partitions: []map[string]int64{nil, {"dear": 1_700_000}}[i/2]},
				}})
				for _, n := range []task.Hello{{Node: "n1", Rating: 1, Speed: 1}, {Node: "slow", Rating: 0.75, Speed: 0.8}, {Node: "fast", Rating: 1.25, Speed: 1.3}} {
					n.Processors, n.MemoryMB, n.DiskMB, n.Boot = 1, 4096, 8192, "b"
					n.Partition = []string{"", "dear"}[i/2]
					f.do(trade.Command{By: trade.Identity{User: n.Node, Role: trade.RoleNode}, Enlist: &n})
				}
				f.submit(bob, trade.Request{EstimateMS: 3_000, DeadlineMS: 30_000, MemoryMB: 100, Budget: budget(3)})
				r := trade.Request{EstimateMS: 7_123, DeadlineMS: deadline, MemoryMB: 333, DiskMB: 77, Budget: budget(9)}
				if !kind.Imprecise {
					r.Processors = 2
				}
				o := f.submit(alice, r)
				if kind.Name == "hol-optimal" { // which finds a job like this not worth it
					return
				}
				if o.Refusal != nil {
					t.Fatalf("%+v", o.Refusal)
				}
				f.wait(5)
				for rank := range max(1, r.Processors) {
					f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{
						Key: task.Key{Job: o.Job.ID, Rank: rank}, State: task.Ended, CPUUS: 1_234_567 + int64(rank)*1_000_001, DeclinedUS: 7_000,
					}}}})
				}
				j := f.job(o.Job.ID)
				if !j.State.Final() || j.Receipt == nil {
					t.Fatalf("%s", j.State)
				}
				checkReceipt(t, &j)
			})
		}
	}
}

// Who names no budget where the least that work is sold for follows what is offered pays what is asked:
// that is on the receipt, and not what the setting bids for such jobs.
func TestReceiptsOfWhatIsAsked(t *testing.T) {
	for _, name := range []string{"make-way", "going-rate"} {
		t.Run(name, func(t *testing.T) {
			f := openUnder(t, name, 1, nil)
			f.do(trade.Command{By: owner, Epoch: &trade.Epoch{
				Policy: name, Settings: epoch.Complete(name, map[string]string{"follow": "0.9"}, epoch.LiveSettings()),
				Rates: &trade.Rates{ProcessorHour: 3_600_000},
			}})
			first := f.submit(bob, trade.Request{EstimateMS: 20_000, DeadlineMS: 21_000, Budget: budget(7)})
			if first.Refusal != nil {
				t.Fatalf("%+v", first.Refusal)
			}
			o := f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: 200_000})
			if o.Refusal != nil {
				t.Fatalf("%+v", o.Refusal)
			}
			for _, id := range []int64{first.Job.ID, o.Job.ID} {
				f.wait(5)
				f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{
					Key: task.Key{Job: id}, State: task.Ended, CPUUS: 1_234_567, DeclinedUS: 7_000,
				}}}})
			}
			j := f.job(o.Job.ID)
			if !j.State.Final() || j.Receipt == nil {
				t.Fatalf("%s", j.State)
			}
			if j.Price < 100_000 {
				t.Errorf("it costs %s: the rate of 0.01 was to be far from what is asked", market.Money(j.Price))
			}
			checkReceipt(t, &j)
		})
	}
}

// What a program used on all its processors is on its receipt as it was measured, and
// so is what it declined.
func TestReceiptsOfThreads(t *testing.T) {
	f := openUnder(t, "libra", 2, nil)
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{
		Policy: "libra", Settings: epoch.Complete("libra", nil, epoch.LiveSettings()), Rates: &trade.Rates{ProcessorHour: 3_700_000},
	}})
	n := task.Hello{Node: "n", Rating: 1, Speed: 1, Processors: 2, MemoryMB: 4096, DiskMB: 8192, Boot: "b"}
	f.do(trade.Command{By: trade.Identity{User: n.Node, Role: trade.RoleNode}, Enlist: &n})
	o := f.submit(alice, trade.Request{EstimateMS: 7_000, DeadlineMS: 40_000, Processors: 2, Threads: 2, Budget: budget(9)})
	if o.Refusal != nil {
		t.Fatalf("%+v", o.Refusal)
	}
	f.wait(5)
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{
		Key: task.Key{Job: o.Job.ID}, State: task.Ended, CPUUS: 6_200_000, DeclinedUS: 300_000,
	}}}})
	j := f.job(o.Job.ID)
	checkReceipt(t, &j)
	if r := read(t, j.Receipt); r.known["cpu"] != 6.2 || r.known["declined"] != 0.3 {
		t.Errorf("6.2 s used and 0.3 s declined, by the receipt %v and %v", r.known["cpu"], r.known["declined"])
	}
}

// checkReceipt works a receipt out.
func checkReceipt(t *testing.T, j *trade.Job) {
	t.Helper()
	r := read(t, j.Receipt)
	whole, lent, gpus := strings.Cut(j.Receipt.Formula, ", and gpus")
	whole, stored, _ := strings.Cut(whole, ", and procs")
	formula, kinds, _ := strings.Cut(whole, ", summed over")
	formula, _, _ = strings.Cut(formula, ", ")
	price := r.work(formula)
	if kinds != "" {
		price *= r.known["of this kind"]
		for k := 2; r.known["of kind "+strconv.Itoa(k)] > 0; k++ {
			other := &reader{T: t, known: map[string]float64{}}
			for name, v := range r.known {
				if _, is := other.known[name]; !is {
					other.known[name] = v
				}
				if bare, of := strings.CutSuffix(name, " of kind "+strconv.Itoa(k)); of {
					other.known[bare] = v
				}
			}
			for name, v := range r.known {
				if bare, of := strings.CutSuffix(name, " of kind "+strconv.Itoa(k)); of {
					other.known[bare] = v
				}
			}
			price += r.known["of kind "+strconv.Itoa(k)] * other.work(formula)
		}
	}
	if stored != "" {
		price += r.work("procs" + stored)
	}
	if gpus {
		price += r.work("gpus" + lent)
	}
	if (stored != "" || gpus || formula == "B") != (j.Storage != nil || formula == "B") {
		t.Errorf("%s, and %+v for memory and disk", j.Receipt.Formula, j.Storage)
	}
	if got := market.Money(math.Round(price * 1e6)); got-market.Money(j.Price) > 1 || got-market.Money(j.Price) < -1 {
		t.Errorf("%s comes to %s, the price was %s: %+v", j.Receipt.Formula, got, market.Money(j.Price), j.Receipt.Inputs)
	}
	work := 0.0
	for _, of := range []string{"", " 1", " 2"} {
		work += r.known["speed"+of] * (r.known["cpu"+of] + r.known["declined"+of]) / r.known["procs"]
	}
	if got := int64(work*1e3 + 1e-3); got != j.Work || int64(math.Round(r.known["work"]*1e3)) != j.Work || j.Work == 0 {
		t.Errorf("%d ms of work, %d by what was measured: %+v", j.Work, got, j.Receipt.Inputs)
	}
	sum := int64(0)
	for _, l := range j.Receipt.Lines {
		sum += int64(l.Amount)
		if l.Formula == whole && whole != "B" { // the price of the work, as agreed
			continue
		}
		if got := market.Money(math.Ceil(r.work(l.Formula)*1e6 - 1e-3)); got != l.Amount { // rounded up
			t.Errorf("%s: %s is %s, not %s", l.What, l.Formula, got, l.Amount)
		}
	}
	if sum != j.Receipt.Net || j.Receipt.Charged != j.Charged {
		t.Errorf("lines come to %d, net %d, charged %d and %d", sum, j.Receipt.Net, j.Receipt.Charged, j.Charged)
	}
}

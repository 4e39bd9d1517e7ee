package exchange_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// follow puts the facts of a command, as they are written down, into the image
// that stands beside the exchange, and compares the two.
func (f *floor) follow(facts *journal.Facts) {
	f.Helper()
	if f.image == nil {
		f.image = journal.NewImage()
	}
	var read journal.Facts
	if err := json.Unmarshal(asJSON(f.TB, facts), &read); err != nil {
		f.Fatal(err)
	}
	if err := f.image.Apply(&read); err != nil {
		f.Fatalf("facts that cannot be true: %v", err)
	}
	if f.followed++; f.followed%16 == 0 { // comparing takes longer than all the rest
		f.compare()
	}
}

// compare holds what the facts say against what is.
func (f *floor) compare() {
	f.Helper()
	if err := f.x.CheckBooks(); err != nil {
		f.Fatal(err)
	}
	if d := apart("", canonical(f.TB, f.image.Snapshot()), canonical(f.TB, f.x.Snapshot())); d != "" {
		f.Fatalf("what the facts say, and what is: %s", d)
	}
}

// A share that drifts by less than the log writes down is no point of a
// timeline, whatever is heard of the job's tasks meanwhile.
func TestReadingsNoteNoDrift(t *testing.T) {
	f := open(t, "libra", 1)
	for _, deadline := range []int64{30_000, 120_000} {
		f.submit(alice, trade.Request{EstimateMS: 10_000, DeadlineMS: deadline, Budget: budget(100)})
	}
	first, drifted := 0.0, 0
	for i := range 40 {
		f.wait(0.06)
		share := f.job(1).Share
		first += 0.06 * share
		f.used(task.Key{Job: 2}, 0.05*float64(i)) // not what it was granted: all shares are reckoned anew
		if f.job(1).Share != share {
			drifted++
		}
		f.used(task.Key{Job: 1}, first)
		f.compare()
	}
	if drifted == 0 {
		t.Error("no share drifted")
	}
}

// recover puts what the facts say in the place of the exchange.
func (f *floor) recover() {
	f.Helper()
	f.compare()
	kept := asJSON(f.TB, f.image.Snapshot())
	x, err := exchange.Open("test", f.image)
	if err != nil {
		f.Fatal(err)
	}
	f.x = x
	if f.image, err = journal.ReadImage(kept); err != nil { // the other one is the exchange's now
		f.Fatal(err)
	}
}

// canonical is a snapshot, as JSON has it, without what its meaning does not
// depend on: the seats and the order of a book, since when a job has had its
// speed, and what was heard of a task and made no difference.
func canonical(t rapid.TB, s journal.Snapshot) any {
	t.Helper()
	if s.Cluster != nil {
		c := *s.Cluster
		c.Policy = ""
		b := book.NewImage(&c.Book).State(c.Book.Nodes)
		for i := range b.Running {
			j := &b.Running[i]
			j.Left, j.Since = j.Left-market.Work(float64(b.Now-j.Since)*float64(j.Speed)), b.Now
		}
		for i := range b.Tasks {
			for k := range b.Tasks[i].Tasks {
				t := &b.Tasks[i].Tasks[k]
				t.Left, t.Since = t.Left-market.Work(float64(b.Now-t.Since)*float64(t.Speed)), b.Now
			}
		}
		c.Book = b
		s.Cluster = &c
	}
	text := regexp.MustCompile(`"cpu_us":\d+,"had"`).ReplaceAll(asJSON(t, s), []byte(`"had"`))
	read := json.NewDecoder(bytes.NewReader(text))
	read.UseNumber()
	var tree any
	if err := read.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

// apart says where two trees of JSON differ by more than the rounding of a
// fraction.
func apart(path string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		y, _ := b.(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if d := apart(path+"."+k, x[k], y[k]); d != "" {
				return d
			}
		}
		if len(x) == len(y) {
			return ""
		}
	case []any:
		y, _ := b.([]any)
		for i := range min(len(x), len(y)) {
			if d := apart(fmt.Sprintf("%s[%d]", path, i), x[i], y[i]); d != "" {
				return d
			}
		}
		if len(x) == len(y) {
			return ""
		}
	case json.Number:
		y, _ := b.(json.Number)
		p, _ := x.Float64()
		q, _ := y.Float64()
		off := 0.0
		switch path[strings.LastIndex(path, ".")+1:] {
		case "speed", "share": // the log has them near enough
			off = 0.011 * math.Abs(q)
		case "left_s":
			off = 0.011 * (25 + math.Abs(q)) // a job asks for at most 25 s of work; below nothing is what it took beyond that
		default:
			if strings.ContainsAny(x.String()+y.String(), ".e") { // else they are counted
				off = 1e-9 * max(1, math.Abs(p))
			}
		}
		if x == y || y != "" && math.Abs(p-q) <= off {
			return ""
		}
	default:
		if reflect.DeepEqual(a, b) {
			return ""
		}
	}
	return fmt.Sprintf("%s: %v and %v", path, a, b)
}

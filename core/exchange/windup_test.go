package exchange_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// lingers is a job whose mandatory part is done, and which does not hear that it should
// end at its deadline, after 16 s of its optional part.
func lingers(t *testing.T, optionalMS int64) (*floor, task.Key) {
	t.Helper()
	f := openLive(t, "mf-edf", 1, nil)
	r := imprecise()
	r.Optional.WorkMS, r.Optional.RateMicros, r.GraceMS = optionalMS, 1_000_000, 30_000
	if o := f.submit(alice, r); o.Refusal != nil {
		t.Fatalf("%+v", o.Refusal)
	}
	key := task.Key{Job: 1}
	f.wait(4)
	f.part(key, 4, 4)
	f.wait(16)
	if o := f.x.Orders("n1"); len(o) != 1 || o[0].Stop != task.Terminate {
		t.Fatalf("%+v", o)
	}
	return f, key
}

// What an optional part takes in its grace is paid for as what it took before.
func TestWindingUpIsPaidFor(t *testing.T) {
	f, key := lingers(t, 60_000)
	f.wait(30)
	f.do(trade.Command{Report: &trade.Measured{Tasks: []task.Status{{
		Key: key, State: task.Ended, Signal: "SIGKILL", CPUUS: 50_000_000, Part: task.OptionalPart, MandatoryCPUUS: 4_000_000,
	}}}})
	if j := f.job(1); j.State != trade.Completed || j.OptionalMS != 46_000 || j.Charged != 51*int64(market.Unit) {
		t.Errorf("%s, %d ms of its optional part, charged %d", j.State, j.OptionalMS, j.Charged)
	}
}

// When all that was sold is taken there is nothing to wind up with: a node lets it have
// no more, and where one cannot, it is killed as soon as that is heard.
func TestWindingUpEndsWithWhatWasSold(t *testing.T) {
	f, key := lingers(t, 20_000)
	if most := f.x.Orders("n1")[0].MostUS; most != 0 {
		t.Fatalf("this node lets it have %d us", most)
	}
	f.wait(5)
	said := []task.Status{{Key: key, State: task.Running, CPUUS: 25_000_000, Part: task.OptionalPart, MandatoryCPUUS: 4_000_000}}
	f.x.At(f.now)
	if len(f.x.News("n1", said)) != 1 {
		t.Error("that it takes more than was sold is no news")
	}
	f.part(key, 25, 4)
	if o := f.x.Orders("n1"); len(o) != 1 || o[0].Stop != task.Kill {
		t.Errorf("%+v", o)
	}
}

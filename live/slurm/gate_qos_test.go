package slurm

import (
	"context"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// twoQOS is a Slurm where ann may have one job at a time in each of two QOS, and three in all; and one
// of bob's.
func twoQOS(b *Backend) {
	w := b.gate.wicket("libra")
	w.site, w.asked = limit.Read(limit.Said{
		Config:    "AccountingStorageEnforce = limits,qos\n",
		Partition: "PartitionName=libra\n",
		Manager: "ClusterName=c Account=physics UserName=ann(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=3(0)\n" +
			"ClusterName=c Account=physics UserName=bob(8) Partition= ID=4\n    DefAssoc=Yes\n" +
			"\nQOS=normal(1)\n    MaxWallPJ=\nQOS=high(2)\n    GrpJobs=2(0)\nQOS=low(3)\n    GrpJobs=2(0)\n",
		Granted: limit.Granted{Choices: "physics|ann|||high,low,normal\nphysics|bob|||high,normal\n", Qualities: "high|1|||||\nlow|1|||||\n"},
	}), noon
}

// What is promised counts for the QOS that it named, from its ticket on until its run has ended, and for the
// user in all.
func TestJobsCountForTheirQOS(t *testing.T) {
	b, _ := idle(t, Agents)
	clear(b.runs)
	twoQOS(b)
	admit := func(user, qos, want string) *Ticket {
		t.Helper()
		ticket, over := b.Admit(t.Context(), user, &trade.Request{EstimateMS: 1000, QOS: qos}, false)
		if (over == nil) != (want == "") || over != nil && !strings.Contains(over.Detail, want) {
			t.Fatalf("%s, %s: %+v, want %q", user, qos, over, want)
		}
		return ticket
	}
	first := admit("ann", "high", "")
	admit("ann", "high", "MaxJobsPU=1 of user ann in QOS high")
	admit("ann", "low", "")
	admit("bob", "low", "Invalid qos specification")
	bobs := admit("bob", "high", "")
	admit("bob", "high", "MaxJobsPU=1 of user bob in QOS high")
	b.Settle(bobs, 0)
	admit("ann", "", "")
	admit("ann", "", "MaxJobs=3 of user ann")
	b.Settle(first, 12)
	r := b.newRun(runKey{12, 0}, 0)
	r.setOrder(&task.Order{Spec: task.Spec{Key: task.Key{Job: 12}, Size: 1, Nodes: []string{"n1"}, User: "ann", QOS: "high", Argv: []string{"true"}}})
	admit("ann", "high", "MaxJobsPU=1 of user ann in QOS high") // its run has it now
	r.state, r.ID = released, 70
	b.askSite(t.Context(), "libra", b.gate.wicket("libra"))
	if in := b.gate.wicket("libra").had[r.key]; in.qos != "high" || !in.runs {
		t.Errorf("what Slurm counts is of QOS %q", in.qos)
	}
	b.standIns.of[13] = &standIn{User: "ann", QOS: "low", Partition: "libra"}
	if in := b.had(had{})[runKey{13, standsIn}]; in.qos != "low" {
		t.Errorf("what waits is of QOS %q", in.qos)
	}
}

// Slurm is told of the QOS of a job, and one that waits is the same there as when it begins.
func TestSlurmIsToldOfAQOS(t *testing.T) {
	b, _ := idle(t, Agents)
	spec := task.Spec{Key: task.Key{Job: 12}, Size: 1, Nodes: []string{"n1"}, User: "ann", QOS: "high", Argv: []string{"true"}}
	s, err := b.describe([]task.Spec{spec}, []string{"n1"}, "libra:x", "libra", "")
	if err != nil || s.QOS != "high" {
		t.Fatalf("%+v, %v", s, err)
	}
	high, err := b.laterOn(spec, "libra:x", "libra")
	spec.QOS = ""
	none, wrong := b.laterOn(spec, "libra:x", "libra")
	if err != nil || wrong != nil || sumOf(high) == sumOf(none) {
		t.Errorf("one of another QOS would do: %v %v", err, wrong)
	}
}

// A job of plain sbatch has the QOS that Slurm gives it, and one that has another by the time it is taken over
// is not what was sold.
func TestAGuestHasItsQOS(t *testing.T) {
	b, _ := idle(t, Agents)
	twoQOS(b)
	for is, want := range map[string]string{"normal": "", "high": "high", "low": "low"} {
		if got := b.qosOfGuest(t.Context(), "ann", client.Guest{QOS: is}); got != want {
			t.Errorf("%s is named as %q, want %q", is, got, want)
		}
	}
	slurm := &guestSlurm{}
	for sold, is := range map[string]string{"": "high", "high": "low", "low": "normal"} {
		spec := task.Spec{Key: task.Key{Job: 12}, User: "ann", QOS: sold}
		slurm.asks = client.Guest{ID: 7, Nodes: "1", QOS: is}
		if err := b.stillAsSold(t.Context(), slurm, 7, &spec, "libra"); err == nil {
			t.Errorf("it is in %s, and %q was sold", is, sold)
		}
		slurm.asks.QOS = sold
		if sold == "" {
			slurm.asks.QOS = "normal"
		}
		if err := b.stillAsSold(t.Context(), slurm, 7, &spec, "libra"); err != nil {
			t.Errorf("%q: %v", sold, err)
		}
	}
}

// What waits because its user wants that has nothing but its place in Slurm's queue.
func TestWhoWaitsTakesNoRoom(t *testing.T) {
	b, _ := idle(t, Agents)
	clear(b.runs)
	twoQOS(b)
	b.gate.wicket("libra").site = limit.Read(limit.Said{
		Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra\n",
		Manager: "ClusterName=c Account=physics UserName=ann(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=1(0) MaxSubmitJobs=4(0)\n",
	})
	admit := func(r trade.Request, want string) {
		t.Helper()
		r.EstimateMS = 1000
		ticket, over := b.Admit(t.Context(), "ann", &r, false)
		if (over == nil) != (want == "") || over != nil && !strings.Contains(over.Detail, want) {
			t.Errorf("%+v, want %q", over, want)
		}
		b.Settle(ticket, 20+int64(len(b.gate.tickets)))
	}
	admit(trade.Request{Hold: true}, "")
	admit(trade.Request{AfterAny: []int64{5}}, "")
	admit(trade.Request{}, "") // they do not keep it from running
	admit(trade.Request{}, "MaxJobs=1")
	admit(trade.Request{BeginMS: 60_000}, "")
	admit(trade.Request{Hold: true}, "MaxSubmitJobs=4")
}

// What slurmdbd said is there after a restart.
func TestWhatSlurmdbdSaidIsRemembered(t *testing.T) {
	b, _ := idle(t, Agents)
	s := &toldSlurm{said: limit.Granted{Choices: "physics|ann|||high\n", Qualities: "high|1|||||\n"}}
	b.slurm = s
	if err := b.restoreGranted(t.Context()); err != nil || s.told != (limit.Granted{}) {
		t.Fatalf("%+v, %v", s.told, err)
	}
	for range 2 {
		b.askSite(t.Context(), "libra", b.gate.wicket("libra"))
	}
	b.gate.granted = limit.Granted{}
	if err := b.restoreGranted(t.Context()); err != nil || s.told != s.said {
		t.Errorf("%+v, %v", s.told, err)
	}
}

// toldSlurm is one whose slurmdbd says something.
type toldSlurm struct {
	client.Slurm

	said, told limit.Granted
}

func (s *toldSlurm) Limits(context.Context, string) (*limit.Site, error) {
	return limit.Read(limit.Said{Granted: s.said}), nil
}

func (s *toldSlurm) Recall(said limit.Granted) { s.told = said }

// Who is let go is held against what others have, and not against what stood for it while it waited; what does
// not fit keeps its place.
func TestWhoIsLetGoIsLookedAt(t *testing.T) {
	b, _ := idle(t, Agents)
	clear(b.runs)
	state := "UP"
	site := func(used string) {
		w := b.gate.wicket("libra")
		w.site, w.asked = limit.Read(limit.Said{
			Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra State=" + state + "\n",
			Manager: "ClusterName=c Account=physics UserName=ann(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=1(" + used + ") MaxSubmitJobs=1(1)\n",
		}), noon
		w.took(w.site, b.had(had{}))
	}
	r := trade.Request{EstimateMS: 1000}
	b.issue(&Ticket{user: "ann", partition: "libra", job: 12, at: noon, use: limit.Use{Waiting: 1}})
	b.standIns.of[12] = &standIn{User: "ann", Partition: "libra"}
	for _, state = range []string{"UP", "DOWN", "DRAIN", "INACTIVE"} { // in Slurm it is already: it begins there, or in the market when that is open again
		site("0")
		for range 2 { // also where it is asked for once more
			ticket, over := b.AdmitHeld(t.Context(), "ann", &r, false, 12)
			if over != nil || ticket == nil || ticket.job != 12 || len(b.gate.tickets) != 1 {
				t.Fatalf("%s: %+v, %+v, %d tickets", state, ticket, over, len(b.gate.tickets))
			}
		}
		site("1")
		if _, over := b.AdmitHeld(t.Context(), "ann", &r, false, 12); over == nil || !strings.Contains(over.Detail, "MaxJobs=1") || len(b.gate.tickets) != 1 {
			t.Errorf("%s: %+v, %d tickets", state, over, len(b.gate.tickets))
		}
	}
}

// Whether somebody may have a QOS is asked once more of a quote that is taken: Slurm is asked anew before it is refused.
func TestTheQOSOfAQuote(t *testing.T) {
	b, _ := idle(t, Agents)
	twoQOS(b)
	for qos, want := range map[string]string{"": "", "high": "", "nosuch": "Invalid qos", "normal": ""} {
		if e := b.NoQOS(t.Context(), "ann", &trade.Request{QOS: qos}); (e == nil) != (want == "") || e != nil && (e.Field != limit.NamesQOS || !strings.Contains(e.Detail, want)) {
			t.Errorf("%q: %+v", qos, e)
		}
	}
}

// What Slurm counted of a run that was read back, and of which nobody knew yet what it has, is not counted once
// more as others' when its order has come.
func TestWhatSlurmCountedOfRunsThatWereReadBack(t *testing.T) {
	b, n := idle(t, Agents)
	clear(b.runs)
	n.attention = awaited // as by a restart
	r := b.newRun(runKey{12, 0}, 0)
	r.restore(note{binding: binding{User: "ann", Nodes: []string{"n1"}, ID: 70}, Released: true}, noon)
	b.slurm = &countingSlurm{Slurm: b.slurm, site: limit.Read(limit.Said{
		Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra\n",
		Manager: "ClusterName=c Account=physics UserName=ann(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=9(1) GrpTRES=cpu=2(1)\n",
	})}
	b.site(t.Context(), "libra")
	b.applyOrders(n, &task.Desired{Version: 2, LeaseMS: 60_000, Orders: []task.Order{{Spec: task.Spec{Key: task.Key{Job: 12}, Size: 1, Nodes: []string{"n1"}, User: "ann", Argv: []string{"true"}}}}})
	if _, over := b.Admit(t.Context(), "ann", &trade.Request{EstimateMS: 1000}, false); over != nil {
		t.Errorf("one of two processors is used, and another is refused: %s", over.Detail)
	}
}

// countingSlurm is a Slurm that says the same of its limits whenever it is asked.
type countingSlurm struct {
	client.Slurm
	site *limit.Site
}

func (s *countingSlurm) Limits(context.Context, string) (*limit.Site, error) {
	same := *s.site
	return &same, nil
}

// Of two who let a job go at once one comes too late, and hands its ticket back: the other's room stays kept.
func TestWhoIsLetGoTwiceKeepsItsRoom(t *testing.T) {
	b, _ := idle(t, Agents)
	twoQOS(b)
	r := trade.Request{EstimateMS: 1000, QOS: "high"}
	first, over := b.AdmitHeld(t.Context(), "ann", &r, false, 12)
	late, over2 := b.AdmitHeld(t.Context(), "ann", &r, false, 12)
	if over != nil || over2 != nil {
		t.Fatal(over, over2)
	}
	b.Settle(late, 0)
	if _, over = b.Admit(t.Context(), "ann", &r, false); over == nil {
		t.Error("another has its room")
	}
	b.Settle(first, 0)
	if _, over = b.Admit(t.Context(), "ann", &r, false); over != nil {
		t.Errorf("nobody has it any more: %s", over.Detail)
	}
	clear(b.gate.tickets)
	first, _ = b.AdmitHeld(t.Context(), "ann", &r, false, 12)
	late, _ = b.AdmitHeld(t.Context(), "ann", &r, false, 12)
	b.Settle(first, 0)
	if b.Settle(late, 0); len(b.gate.tickets) != 0 {
		t.Errorf("neither has it, and %d tickets are left", len(b.gate.tickets))
	}
}

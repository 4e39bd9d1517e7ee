package system_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// Three clusters behind one door, two of our own and one of Slurm's: a refusal is
// forwarded to the next, one of them dies in the middle, the broker is killed
// too, and everything that was promised is found again, once.
func brokerOverThreeClusters(t *testing.T) {
	requireCgroup(t)
	north, south := newBazaar(t, terms{}), newBazaar(t, terms{})
	north.hire("n1", "--cpus", "0")
	south.hire("n1", "--cpus", "0")
	west := newSite(t, slurmtest.Options{Nodes: 1}, terms{}, 0.9)
	at := map[string]*bazaar{"north": north, "south": south, "west": west}
	d := openDoor(t, at)

	// Each has room for one of these; the next has to look further.
	var jobs []v1.Job
	for range 3 {
		jobs = append(jobs, submit(t, d.client, d.large(untilTold)))
	}
	var places []string
	for _, j := range jobs {
		until(t, fmt.Sprintf("job %d to run", j.ID), func() bool { return d.job(j.ID).State == v1.Running })
		cluster, _, _ := strings.Cut(d.job(j.ID).Places[0].Node, "/")
		places = append(places, cluster)
	}
	if !slices.Equal(places, []string{"north", "south", "west"}) {
		t.Errorf("refusals were not forwarded: they are at %v", places)
	}
	d.takeAnOffer()

	south.serve.kill()
	d.broker.kill()
	d.open()
	small := d.large("true")
	small.EstimateMS = 500
	if j := d.completed(submit(t, d.client, small).ID); strings.HasPrefix(j.Places[0].Node, "south/") {
		t.Errorf("it ran at %s, which is dead", j.Places[0].Node)
	}
	tell(t, d.dir)
	d.completed(jobs[0].ID)
	d.completed(jobs[2].ID)
	south.open()
	d.completed(jobs[1].ID)

	page, err := d.client.Jobs(t.Context(), v1.JobQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	charged := int64(0)
	for _, j := range page.Jobs {
		if j.State != v1.Rejected { // it is kept, and cost nothing
			charged += d.completed(j.ID).Charged
		}
	}
	for name, b := range at {
		b.verify()
		jobs, err := b.owner.Jobs(t.Context(), v1.JobQuery{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs.Jobs {
			if j.State == v1.Completed {
				charged -= j.Charged
			}
			t.Logf("%s: job %d %s, charged %d", name, j.ID, j.State, j.Charged)
		}
	}
	if charged != 0 {
		t.Errorf("the broker and the clusters differ by %d micro-units", charged)
	}
	s, err := d.client.Statement(t.Context(), client.Period{})
	if err != nil || len(s.Lines) < 5 {
		t.Errorf("the statement has %d lines: %v", len(s.Lines), err)
	}
}

// door is a broker that a test has started.
type door struct {
	*bazaar // for what all markets have; its controller is the broker
	t       *testing.T
	broker  *daemon
	client  *client.Client
}

func openDoor(t *testing.T, at map[string]*bazaar) *door {
	t.Helper()
	d := &door{t: t, bazaar: &bazaar{t: t, dir: scene(t)}}
	listen := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	d.url = "http://" + listen
	d.args = []string{binary(), "broker", "--listen", listen, "--limit", "20s", "--store", d.at("broker.db"), "--owner-token-file", d.at("owner.token")}
	for _, name := range []string{"north", "south", "west"} {
		b := at[name]
		b.user("root", 1000)
		token, err := b.owner.MakeToken(t.Context(), v1.TokenRequest{User: "root", SystemUser: true, Role: v1.RoleUser})
		if err != nil {
			t.Fatal(err)
		}
		d.write(name+".token", token.Secret)
		d.args = append(d.args, "--cluster", fmt.Sprintf("%s=%s,%s", name, b.url, d.at(name+".token")))
	}
	d.open()
	return d
}

// open starts the broker, for the first time or again.
func (d *door) open() {
	d.t.Helper()
	d.broker = launch(d.t, d.dir, d.args...)
	until(d.t, "the broker", func() bool {
		if !d.broker.running() {
			d.t.Fatalf("the broker has ended:\n%s", d.broker.said(4000))
		}
		secret := strings.TrimSpace(text(d.t, d.at("owner.token")))
		if secret == "" {
			return false
		}
		d.client = d.with(secret)
		return d.client.Healthy(d.t.Context()) == nil
	})
	d.owner = d.client
}

// large is a job that needs most of a processor, at the first that takes it.
func (d *door) large(line string) v1.Request {
	budget := int64(300_000_000)
	r := d.shell(line, time.Minute) // the clusters are full for as long, however slow they are
	r.Dir, r.DeadlineMS, r.Budget, r.Tags = d.dir, 90_000, &budget, []string{"wish:first"}
	return r
}

// takeAnOffer asks for what nobody has room for, and takes what is offered
// instead.
func (d *door) takeAnOffer() {
	d.t.Helper()
	_, err := d.client.Submit(d.t.Context(), d.large("true"), "")
	p, refused := errors.AsType[*client.Problem](err)
	if !refused || len(p.Offers) == 0 {
		d.t.Fatalf("with all clusters full: %v, %+v", err, p)
	}
	for _, name := range []string{"north", "south", "west"} {
		if !strings.Contains(p.Detail, name) {
			d.t.Errorf("the refusal does not say what %s said: %s", name, p.Detail)
		}
	}
	for _, o := range p.Offers {
		d.t.Logf("offered: %s", o.Detail)
	}
	r := p.Offers[0].Quote.Request
	j, err := d.client.Submit(d.t.Context(), r, p.Offers[0].Quote.ID)
	if err != nil {
		d.t.Fatalf("an offer that is taken: %v", err)
	}
	d.t.Logf("job %d is at %+v", j.ID, j.Places)
}

package client

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/libra-market/libra/live/slurm/limit"
)

// granted is what slurmdbd has said of QOS, and of who may have which. slurmctld goes on by what it was told
// while slurmdbd is away, or says nothing for as long as anybody listens: its last word counts, and nobody
// waits long for another.
type granted struct {
	mu     sync.Mutex
	last   limit.Granted
	mute   bool          // it did not answer when it was asked last
	asking chan struct{} // closed when it has answered, or not; nil: nobody asks
	soon   time.Duration // how long a new word is waited for; 0: as long as usual
}

// How long a new word is waited for. One that comes later counts for those who ask after that.
const (
	grantedSoon = 3 * time.Second
	grantedMute = 200 * time.Millisecond // where there was none the last time
)

// Granted is a Slurm that is told what its slurmdbd has said before.
type Granted interface {
	// Recall says what slurmdbd said when it was asked last, by an earlier process: it counts until it
	// says something else.
	Recall(said limit.Granted)
}

// Recall says what slurmdbd said before.
func (c *commands) Recall(said limit.Granted) {
	c.granted.mu.Lock()
	defer c.granted.mu.Unlock()
	if c.granted.last == (limit.Granted{}) {
		c.granted.last = said
	}
}

// Recall says what slurmdbd said before.
func (r *rest) Recall(said limit.Granted) {
	if r.killer != nil {
		r.killer.Recall(said)
	}
}

// askGranted asks slurmdbd, with what slurmctld says of its configuration, and has its last word where it does not answer soon.
func (c *commands) askGranted(ctx context.Context, config string) limit.Granted {
	g := &c.granted
	g.mu.Lock()
	answered, wait := g.asking, cmp.Or(g.soon, grantedSoon)
	if g.mute {
		wait = grantedMute
	}
	if answered == nil {
		answered = make(chan struct{})
		g.asking = answered
		later := context.WithoutCancel(ctx) // the calls have a time limit of their own
		go func() {
			defer close(answered)
			c.hearGranted(later, config)
		}()
	}
	g.mu.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.last
}

// hearGranted asks slurmdbd, and notes what it says.
func (c *commands) hearGranted(ctx context.Context, config string) {
	var choices, qualities string
	var err error
	ask := func(to *string, argv ...string) {
		if err == nil { // who does not answer once does not twice
			*to, err = c.run(ctx, call{argv: append([]string{"sacctmgr", "--noheader", "--parsable2", "show"}, argv...)})
		}
	}
	if limit.Enforces(config) {
		of := []string{"assoc", "format=" + limit.ChoiceFields}
		if name := limit.ClusterOf(config); name != "" {
			of = []string{"assoc", "where", "cluster=" + name, "format=" + limit.ChoiceFields} // slurmdbd knows others' too
		}
		ask(&choices, of...)
	}
	if limit.AsksQualities(config) {
		ask(&qualities, "qos", "format="+limit.QualityFields)
	}
	heard := err == nil && (choices != "" || !limit.Enforces(config)) // of root, somebody always says something
	g := &c.granted
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mute, g.asking = !heard, nil; heard {
		g.last = limit.Granted{Choices: choices, Qualities: qualities}
	}
}

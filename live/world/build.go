package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/libra-market/libra/client"
	v1 "github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/policy"
)

// adopt lets another build of the program take over, or the one before again: it decides
// otherwise, by another policy or by the same one with other settings, rules and rates.
// What was decided before stays, and the log of all of them is read back by each.
func (w *World) adopt(i int) {
	r := w.chance("policy", int64(i))
	kinds := drawn()
	name := w.day.Policy
	switch r.IntN(4) {
	case 0: // the first one, with what is set now
	case 1:
		name = kinds[r.IntN(len(kinds))].Name
	default:
		name = []string{"libra", "libra-plus", "libra-sla", "edf-bf", "bid-share", "best-offer", "fcfs-bf"}[r.IntN(7)]
	}
	if w.day.Slurm {
		name = drawWhole(r)
	}
	c := w.client("root", &host{name: fmt.Sprint("desk-policy-", i), phase: time.Duration(20+i%30) * time.Nanosecond})
	for try, name := range []string{name, w.current()} { // some can follow others only when nothing is under way
		e := v1.Epoch{Policy: name, Settings: drawSettings(r, name)}
		if r.IntN(3) == 0 {
			e.Rates = &v1.Rates{Processor: 1 + r.Int64N(3*rates)}
		}
		err := w.insist("policy", func(ctx context.Context) error {
			_, err := c.SetEpoch(client.WithKey(ctx, fmt.Sprintf("policy-%d-%d", i, try)), e)
			return err
		})
		w.note("policy %s %v: %v", name, e.Settings, err)
		if err == nil {
			w.mu.Lock()
			w.policy = name
			w.mu.Unlock()
			return
		}
	}
}

// current is the policy in force, as far as anybody remembers, or the other of its family:
// jobs under way are handed over.
func (w *World) current() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if other, some := map[string]string{"libra": "libra-plus", "libra-plus": "libra", "mf-edf": "mf-hbf", "mf-hbf": "mf-edf"}[w.policy]; some {
		return other
	}
	return w.policy
}

// drawSettings are some of those that a policy and every market know.
func drawSettings(r *rand.Rand, name string) map[string]string {
	set := map[string]string{}
	part := func(most float64) string { return strconv.FormatFloat(most*r.Float64(), 'f', 3, 64) }
	for _, s := range []struct{ name, value string }{
		{"unused", part(1)},
		{"penalty_cap", []string{"1", "2"}[r.IntN(2)]},
		{"tolerance", part(0.2)},
		{"quote_rent", part(0.05)},
		{"limit", []string{"node", "report"}[r.IntN(2)]},
		{"rounding", []string{"up", "down"}[r.IntN(2)]},
		{"quote_share", part(1)},
		{"fit", []string{"least-loaded", "best"}[r.IntN(2)]},
		{"replan", []string{"touched", "all"}[r.IntN(2)]},
	} {
		of := s.name != "fit" && s.name != "replan"
		if kind, err := policy.Find(name); err == nil && !of {
			of = slices.ContainsFunc(kind.Settings(), func(o policy.Setting) bool { return o.Name == s.name && slices.Contains(o.Choices, s.value) })
		}
		if r.IntN(3) == 0 && of {
			set[s.name] = s.value
		}
	}
	return set
}

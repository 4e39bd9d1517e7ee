package broker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/libra-market/libra/live/store"
)

// Record is what a broker has seen of a cluster. It counts: who was slow several
// times running, or lied, is left out for a while.
type Record struct {
	Cluster string `json:"cluster"`

	Asked    int64 `json:"asked"`    // for a quote
	Answered int64 `json:"answered"` // in time, with a quote or a refusal
	Slow     int64 `json:"slow"`     // not in time
	Away     int64 `json:"away"`     // not at all
	Refused  int64 `json:"refused"`  // to quote, or to take a job on its own quote
	Won      int64 `json:"won"`      // jobs that were handed to it
	Kept     int64 `json:"kept"`     // firm promises
	Missed   int64 `json:"missed"`
	Lied     int64 `json:"lied"`

	Lies   int    `json:"lies_running"` // without a week between two of them
	Slows  int    `json:"slow_running"`
	LieUS  int64  `json:"lie_us,omitempty"`  // of the last one
	Lie    string `json:"lie,omitempty"`     // what it was
	OutUS  int64  `json:"out_us,omitempty"`  // left out until then
	OutFor string `json:"out_for,omitempty"` // why
	AwayUS int64  `json:"away_us,omitempty"` // nothing was heard of it since; 0: it is there
}

// The rule by which a cluster is left out. After a lie it is ten minutes, twice
// as long each time, at most a day; a week without a lie makes the next one the
// first again. After three quotes running that came too late it is half a
// minute, twice as long each time, at most five minutes.
const (
	lieOut     = 10 * time.Minute
	lieOutMost = 24 * time.Hour
	lieForget  = 7 * 24 * time.Hour

	slowsRunning = 3
	slowOut      = 30 * time.Second
	slowOutMost  = 5 * time.Minute
)

// outSlow is why a cluster is left out that did not lie.
const outSlow = "it was slow"

func doubled(first, most time.Duration, times int) time.Duration {
	if times > 20 {
		return most
	}
	return min(first<<max(0, times), most)
}

// lied notes a lie.
func (r *Record) lied(now int64, what string) {
	if r.LieUS != 0 && now-r.LieUS > lieForget.Microseconds() {
		r.Lies = 0
	}
	until := now + doubled(lieOut, lieOutMost, r.Lies).Microseconds()
	r.Lied++
	r.Lies++
	r.LieUS, r.Lie = now, what
	if until > r.OutUS {
		r.OutUS, r.OutFor = until, "it lied: "+what
	}
}

// slow notes a quote that did not come in time.
func (r *Record) slow(now int64) {
	r.Slow++
	if r.Slows++; r.Slows < slowsRunning {
		return
	}
	until := now + doubled(slowOut, slowOutMost, r.Slows-slowsRunning).Microseconds()
	if until > r.OutUS {
		r.OutUS, r.OutFor = until, outSlow
	}
}

// out says why a cluster is left out, if it is.
func (r *Record) out(now int64) string {
	if now >= r.OutUS {
		return ""
	}
	left := time.Duration(r.OutUS-now) * time.Microsecond
	return fmt.Sprintf("left out for another %s, because %s", left.Round(time.Second), r.OutFor)
}

// Where the records are kept: the names of the clusters, and for each its own.
const (
	namesMeta  = "broker clusters"
	recordMeta = "broker cluster "
)

// Records reads what the broker on a store has seen of its clusters, in the order
// of its file. It may be read beside a broker that runs.
func Records(ctx context.Context, s store.Settings) ([]Record, error) {
	text, found, err := s.Meta(ctx, namesMeta)
	if err != nil || !found {
		return nil, err
	}
	var names []string
	if err := json.Unmarshal([]byte(text), &names); err != nil {
		return nil, fmt.Errorf("names of clusters: %w", err)
	}
	return readRecords(ctx, s, names)
}

func readRecords(ctx context.Context, s store.Settings, clusters []string) ([]Record, error) {
	all := make([]Record, len(clusters))
	for i, name := range clusters {
		text, found, err := s.Meta(ctx, recordMeta+name)
		if err != nil {
			return nil, err
		}
		if found {
			if err := json.Unmarshal([]byte(text), &all[i]); err != nil {
				return nil, fmt.Errorf("record of cluster %s: %w", name, err)
			}
		}
		all[i].Cluster = name
	}
	return all, nil
}

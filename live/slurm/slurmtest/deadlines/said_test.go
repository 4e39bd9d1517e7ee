package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// What cannot all be true of a job is found: its state, its times, in Slurm as in the market, what it is charged and paid.
func TestContradictions(t *testing.T) {
	at := time.Date(2026, 11, 19, 20, 0, 0, 0, time.Local)
	good := func() (*job, *v1.Job) {
		budget := int64(10e6)
		return &job{handed: at, within: time.Minute, done: filepath.Join(t.TempDir(), "done")}, &v1.Job{
			State: v1.Completed, Firm: true, InTime: true, BegunUS: at.Add(20 * time.Second).UnixMicro(), EndedUS: at.Add(40 * time.Second).UnixMicro(),
			Price: 10e6, Charged: 10e6, Request: v1.Request{Budget: &budget, EstimateMS: 10_000},
			Receipt: &v1.Receipt{Charged: 10e6, Net: 10e6, Lines: []v1.ReceiptLine{{Amount: 9e6}, {Amount: 1e6}}},
		}
	}
	for _, c := range []struct {
		name string
		edit func(j *job, said *v1.Job)
		done time.Duration // after it was handed in; 0: never
		says string        // "": nothing
	}{
		{"all is well", func(*job, *v1.Job) {}, 40 * time.Second, ""},
		{"never done", func(*job, *v1.Job) {}, 0, "was never done"},
		{"lost, and done", func(_ *job, said *v1.Job) { said.State = v1.Lost }, 40 * time.Second, "and its program was done"},
		{"told to end, and done", func(_ *job, said *v1.Job) { said.State = v1.Stopped }, 40 * time.Second, ""},
		{"still there", func(_ *job, said *v1.Job) { said.State = v1.Running }, 0, "long after its deadline"},
		{"late", func(j *job, _ *v1.Job) { j.within = 20 * time.Second }, 40 * time.Second, "in time: true"},
		{"in time after all", func(_ *job, said *v1.Job) { said.InTime = false }, 40 * time.Second, "in time: false"},
		{"done long before", func(*job, *v1.Job) {}, 25 * time.Second, "it ended at"},
		{"begun at another time", func(_ *job, said *v1.Job) { said.BegunUS = at.UnixMicro() }, 40 * time.Second, "StartTime"},
		{"ended at another time", func(_ *job, said *v1.Job) { said.EndedUS = at.Add(55 * time.Second).UnixMicro() }, 45 * time.Second, "EndTime"},
		{"into the margin", func(_ *job, said *v1.Job) {
			said.Charged, said.Receipt = 13e6, &v1.Receipt{Charged: 13e6, Net: 13e6, Lines: []v1.ReceiptLine{{Amount: 13e6}}}
		}, 40 * time.Second, ""},
		{"beyond it", func(_ *job, said *v1.Job) {
			said.Charged, said.Receipt = 14e6, &v1.Receipt{Charged: 14e6, Net: 14e6, Lines: []v1.ReceiptLine{{Amount: 14e6}}}
		}, 40 * time.Second, "is the most that may be"},
		{"another receipt", func(_ *job, said *v1.Job) { said.Receipt.Charged++ }, 40 * time.Second, "its receipt says"},
		{"lines that do not add up", func(_ *job, said *v1.Job) { said.Receipt.Lines[0].Amount++ }, 40 * time.Second, "its receipt says"},
		{"no receipt", func(_ *job, said *v1.Job) { said.Receipt = nil }, 40 * time.Second, "no receipt"},
		{"paid for nothing", func(_ *job, said *v1.Job) {
			said.Penalty, said.Receipt = 1e6, &v1.Receipt{Charged: 10e6, Penalty: 1e6, Net: 9e6, Lines: []v1.ReceiptLine{{Amount: 10e6}, {Amount: -1e6}}}
		}, 40 * time.Second, "are paid for its delay"},
	} {
		j, said := good()
		c.edit(j, said)
		if c.done != 0 {
			if err := os.WriteFile(j.done, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(j.done, at.Add(c.done), at.Add(c.done)); err != nil {
				t.Fatal(err)
			}
		}
		wrong := strings.Join(contradictions(j, said, "StartTime=2026-11-19T20:00:20 EndTime=2026-11-19T20:00:40 Deadline=N/A", time.Second), "; ")
		if c.says == "" && wrong != "" || !strings.Contains(wrong, c.says) {
			t.Errorf("%s: %q, want %q", c.name, wrong, c.says)
		}
	}
}

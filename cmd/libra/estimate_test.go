package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// Whoever does not know how long a program runs is told from how long it ran before.
func TestEstimateFromHistory(t *testing.T) {
	f := newFloor()
	f.answer = accept(func(*v1.Job) {})
	for i := range int64(20) {
		j := completed()
		j.ID, j.Name, j.Program, j.Width, j.Work = 100+i, fmt.Sprint("day-", i), "simulate", 1, 60_000+i*1000
		f.Put(j)
	}
	other := completed()
	other.ID, other.Name, other.Program, other.Work = 300, "simulate", "bake", 9_000_000
	f.Put(other)
	open(t, f, v1.RoleUser)
	out := mustLibra(t, "estimate", "./simulate")
	if !strings.Contains(out, "20 runs of simulate on as many processors; 90 % sure") || !strings.Contains(out, "longest   1m19s") {
		t.Errorf("got\n%s", out)
	}
	r := libra(t, "submit", "--", "./simulate")
	if sent := f.last(t).Submit; r.code != exitOK || sent.Request.EstimateMS < 77_000 || sent.Request.EstimateMS > 90_000 || !strings.Contains(r.err, "from 20 runs of simulate") {
		t.Errorf("%+v, estimate %d ms", r, sent.Request.EstimateMS)
	}
	if r = libra(t, "estimate", "fold"); r.code != exitFailure || !strings.Contains(r.err, "nothing to go by") {
		t.Errorf("%+v", r)
	}
	if r = libra(t, "submit", "--", "./fold"); r.code != exitUsage || !strings.Contains(r.err, "--estimate is missing") {
		t.Errorf("%+v", r)
	}
	// A script is its file, whatever it calls the job; and sbatch does the same.
	script := filepath.Join(t.TempDir(), "simulate")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n#SBATCH -J tonight\n./it\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, flag := range map[string]string{"submit": "--estimate", "sbatch": "-t"} {
		r = libra(t, command, script)
		sent := f.last(t).Submit
		if r.code != exitOK || sent.Request.Name != "tonight" || sent.Request.EstimateMS < 77_000 || !strings.Contains(r.err, "from 20 runs of simulate") || !strings.Contains(r.err, "; "+flag+" says another") {
			t.Errorf("%s: %+v, %+v", command, r, sent.Request)
		}
	}
	if r = libra(t, "sbatch", "-Q", script); r.code != exitOK || r.err != "" || f.last(t).Submit.Request.EstimateMS < 77_000 {
		t.Errorf("quiet: %+v", r)
	}
}

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The same seed draws the same jobs, none of which is due before it can be done.
func TestDraw(t *testing.T) {
	p := plan{seed: 7, jobs: 200, gap: 3 * time.Second}
	first, again := p.draw("here"), p.draw("here")
	other := (&plan{seed: 8, jobs: 200, gap: 3 * time.Second}).draw("here")
	same := 0
	for i, j := range first {
		if *j != *again[i] {
			t.Fatalf("job %d is %+v, and once more %+v", i, *j, *again[i])
		}
		if j.takes == other[i].takes {
			same++
		}
		if j.takes > j.estimate || float64(j.within) < 1.4*float64(j.estimate) || j.takes < 6*time.Second || j.takes > 24*time.Second {
			t.Errorf("%+v", *j)
		}
		if i > 0 && j.at < first[i-1].at {
			t.Errorf("job %d comes before the one before it", i)
		}
	}
	if same > 0 {
		t.Errorf("%d jobs are those of another seed", same)
	}
	if mean := first[199].at / 200; mean < 2*time.Second || mean > 4*time.Second {
		t.Errorf("a job every %v", mean)
	}
}

// Who says too little says 5 to 25 % less than it needs, and is due when it would have been; nothing else changes.
func TestDrawShort(t *testing.T) {
	jobs := (&plan{seed: 7, jobs: 400, gap: time.Second}).draw("")
	short := 0
	for i, j := range (&plan{seed: 7, jobs: 400, gap: time.Second, short: 0.5}).draw("") {
		if j.short {
			short++
			if part := float64(j.estimate) / float64(j.takes); part < 0.75 || part > 0.95 {
				t.Errorf("job %d says %.3f of what it needs", i, part)
			}
			j.short, j.estimate = false, jobs[i].estimate
		}
		if *j != *jobs[i] {
			t.Errorf("job %d is %+v, and %+v where all say enough", i, *j, *jobs[i])
		}
	}
	if short < 160 || short > 240 {
		t.Errorf("%d of 400 say too little", short)
	}
}

// A job counts that is done by its deadline, whenever somebody looks.
func TestCount(t *testing.T) {
	dir, handed := t.TempDir(), time.Now().Add(-time.Minute)
	jobs := make([]*job, 4)
	for i, after := range []time.Duration{9 * time.Second, 11 * time.Second, 0, 5 * time.Second} {
		jobs[i] = &job{number: i, within: 10 * time.Second, handed: handed, taken: i != 2, done: filepath.Join(dir, string(rune('a'+i)))}
		if after == 0 {
			continue
		}
		if err := os.WriteFile(jobs[i].done, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(jobs[i].done, handed.Add(after), handed.Add(after)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := count(jobs), "2 of 4 jobs in time, 3 taken"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What a job computes for is processor time, and it says when it is done.
func TestCompute(t *testing.T) {
	done := filepath.Join(t.TempDir(), "done")
	if err := compute(time.Millisecond, "", done); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(done); err != nil {
		t.Error(err)
	}
	if err := compute(time.Millisecond, "/nowhere", done); err == nil {
		t.Error("it computes outside the group that it is to be in")
	}
}

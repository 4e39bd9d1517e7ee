package client

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzSqueue(f *testing.F) {
	const sep = "\x1fs\x1f"
	f.Add(listing(sep, row("1", "RUNNING", "x"), row("2", "FAILED", "y\nz")))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		jobs, err := readJobs(text, sep, 102)
		if err != nil && len(jobs) > 0 {
			t.Errorf("jobs beside an error: %+v", jobs)
		}
		for _, j := range jobs {
			if j.ID <= 0 || j.User == "" || strings.Contains(j.Name, sep) {
				t.Errorf("a job is %+v", j)
			}
		}
	})
}

func FuzzScontrolNodes(f *testing.F) {
	f.Add("NodeName=n1 CPUTot=8 RealMemory=100 State=IDLE+DRAIN Partitions=libra BootTime=77 Reason=x y\n")
	f.Fuzz(func(t *testing.T, text string) {
		nodes, err := readNodes(text, "libra")
		if err != nil && len(nodes) > 0 {
			t.Errorf("nodes beside an error: %+v", nodes)
		}
	})
}

func FuzzRestAnswers(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no answers", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var jobs jobsAnswer
		if json.Unmarshal(text, &jobs) == nil {
			list, err := jobs.read("libra", 102)
			if err != nil && len(list) > 0 {
				t.Errorf("jobs beside an error: %+v", list)
			}
			for _, j := range list {
				if j.ID <= 0 || !j.State.Over() && (j.Ended != 0 || j.Exit != 0) {
					t.Errorf("a job is %+v", j)
				}
			}
		}
		var nodes nodesAnswer
		if json.Unmarshal(text, &nodes) == nil {
			if list, err := nodes.read("libra"); err != nil && len(list) > 0 {
				t.Errorf("nodes beside an error: %+v", list)
			}
		}
		var submitted submitAnswer
		if json.Unmarshal(text, &submitted) == nil {
			_ = submitted.id()
			_ = submitted.faults().said()
			_ = submitted.faults().refusal()
		}
		var ping pingAnswer
		if json.Unmarshal(text, &ping) == nil {
			_ = ping.up()
		}
	})
}

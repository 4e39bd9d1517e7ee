package spec

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func seed(f *testing.F, more ...string) {
	f.Helper()
	names, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range more {
		f.Add([]byte(text))
	}
}

// FuzzJob: no text breaks the reader, and what it accepts is valid and comes
// back the same from what Encode writes of it.
func FuzzJob(f *testing.F) {
	for _, c := range said {
		f.Add([]byte(c.text))
	}
	seed(f, "details: {runtime_estimate: 1, command: \"a\\nb\\r\\u0085 \\ufeff\"}\n"+"? \" x\"\n: [null, true, \"null\", ~, {\"\": .5}, -0, \"<<\", \"*a\", \"---\"]\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		jobs, err := ReadJobs("fuzz.yaml", bytes.NewReader(data))
		if err != nil {
			complained(t, err)
			return
		}
		for i := range jobs {
			m, invalid := jobs[i].Market()
			if invalid != nil {
				t.Fatalf("accepted and not valid: %v", invalid)
			}
			if err = m.Validate(); err != nil {
				t.Fatalf("the market refuses: %v", err)
			}
		}
		var text bytes.Buffer
		if err = EncodeJobs(&text, jobs...); err != nil {
			t.Fatal(err)
		}
		written := text.String()
		again, err := ReadJobs("again.yaml", &text)
		if err != nil {
			if errors.Is(err, ErrTooLarge) {
				return // indentation may make it longer than it was
			}
			t.Fatalf("not read back: %v\n%s", err, written)
		}
		if !reflect.DeepEqual(again, jobs) {
			t.Fatalf("got  %#v\nwant %#v\nvia\n%s", again, jobs, written)
		}
	})
}

// FuzzCluster: as FuzzJob.
func FuzzCluster(f *testing.F) {
	seed(f, `{"groups": [{"count": 3}, {"name": "a b", "memory": "unlimited", "rating": 1e-300}]}`)
	f.Fuzz(func(t *testing.T, data []byte) {
		cluster, err := ReadCluster("fuzz.yaml", bytes.NewReader(data))
		if err != nil {
			complained(t, err)
			return
		}
		for i := range cluster.Groups {
			cluster.Groups[i].Count = min(cluster.Groups[i].Count, 10) // so that a run is not all about making nodes
		}
		nodes, err := cluster.Nodes()
		if err != nil {
			t.Fatalf("accepted and not valid: %v", err)
		}
		for i := range nodes {
			if err = nodes[i].Validate(); err != nil {
				t.Fatalf("the market refuses: %v", err)
			}
		}
		var text bytes.Buffer
		if err = cluster.Encode(&text); err != nil {
			t.Fatal(err)
		}
		written := text.String()
		again, err := ReadCluster("again.yaml", &text)
		if err != nil || !reflect.DeepEqual(again, cluster) {
			t.Fatalf("got  %+v, %v\nwant %+v\nvia\n%s", again, err, cluster, written)
		}
	})
}

// complained checks that an error can be shown, and is not the YAML library's
// own accident.
func complained(t *testing.T, err error) {
	t.Helper()
	if strings.Contains(err.Error(), errBroken.Error()) {
		t.Fatal(err)
	}
}

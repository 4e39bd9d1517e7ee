package experiment

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/policy"
)

var (
	panoramaFile   = flag.String("panorama", "", "draw every policy on every log into this SVG")
	panoramaTraces = flag.String("traces", "", "the directory of the logs for -panorama")
)

// Every policy is in the picture, on every log, and nothing is above the bound.
func TestPanorama(t *testing.T) {
	logs, jobs := []*Trace{smallTrace(t, 60), smallTrace(t, 40)}, 40
	logs[0].Name, logs[1].Name = "CTC-SP2-1996-3.1-cln.swf.gz", "LCG-2005-1.swf.gz"
	logs[1].Nodes = vast + 1
	if *panoramaFile != "" {
		logs, jobs = allLogs(t, *panoramaTraces), 2000
	}
	p, err := View(t.Context(), &Lab{}, logs, jobs, 0.5, 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Policies) != len(policy.Kinds()) {
		t.Errorf("%d policies", len(p.Policies))
	}
	for _, name := range p.Policies {
		for i, log := range p.Logs {
			if p.Profit[name][i] > p.Profit[Bound][i]+1e-6 || p.QoS[name][i] > p.QoS[Bound][i]+1e-6 {
				t.Errorf("%s on %s: %v and %v, above the bound", name, log, p.QoS[name][i], p.Profit[name][i])
			}
		}
	}
	drawn := p.SVG()
	for decoder := xml.NewDecoder(strings.NewReader(string(drawn))); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append([]string{p.Logs[0], upperBound}, p.Policies...) {
		if !strings.Contains(string(drawn), ">"+name+"<") {
			t.Errorf("no %s in the picture", name)
		}
		if !strings.Contains(p.Table(), name) {
			t.Errorf("no %s in the table", name)
		}
	}
	if *panoramaFile == "" {
		if p.Logs[0] != "CTC-SP2" || p.Logs[1] != "LCG" {
			t.Errorf("logs %v", p.Logs)
		}
		if !strings.Contains(string(drawn), "The last 40 jobs of each log (10 of LCG), ") {
			t.Errorf("about %q", p.About)
		}
		return
	}
	if err := os.WriteFile(*panoramaFile, drawn, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + p.Table())
}

// allLogs opens the logs of a directory, without those that are models.
func allLogs(t *testing.T, dir string) []*Trace {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.swf.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var logs []*Trace
	for _, path := range found {
		if strings.HasPrefix(filepath.Base(path), "lublin") {
			continue
		}
		log, err := OpenTrace(path)
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, log)
	}
	if len(logs) == 0 {
		t.Fatalf("no logs in %q", dir)
	}
	return logs
}

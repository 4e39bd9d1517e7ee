package workload

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// traces is where the logs of the Parallel Workloads Archive lie, if they do.
const traces = "../../../shared/traces"

func openTrace(t testing.TB, name string) *File {
	t.Helper()
	path := filepath.Join(traces, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the log %s is not here", name)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// Every log has as many jobs and processors as its description says.
func TestTraces(t *testing.T) {
	for _, c := range []struct {
		name             string
		jobs, processors int
		stepsBack        int // records submitted before the one above them
	}{
		{"SDSC-SP2-1998-4.2-cln.swf.gz", 59_715, 128, 0},
		{"CEA-Curie-2011-2.1-cln.swf.gz", 312_826, 93_312, 0},
		{"SDSC-BLUE-2000-4.2-cln.swf.gz", 243_306, 1152, 0},
		{"HPC2N-2002-2.2-cln.swf.gz", 202_871, 240, 0},
		{"LCG-2005-1.swf.gz", 188_041, 24_515, 0},
		{"LANL-CM5-1994-4.1-cln.swf.gz", 122_060, 1024, 0},
		{"LLNL-Thunder-2007-1.1-cln.swf.gz", 121_039, 4008, 808},
		{"SDSC-DS-2004-2.1-cln.swf.gz", 96_069, 1664, 0},
		{"CTC-SP2-1996-3.1-cln.swf.gz", 77_222, 338, 0},
		{"Sandia-Ross-2001-1.1-cln.swf.gz", 57_882, 1524, 0},
		{"LLNL-Atlas-2006-2.1-cln.swf.gz", 43_778, 9216, 0},
		{"OSC-Clust-2000-3.1-cln.swf.gz", 36_097, 178, 0},
		{"SDSC-Par-1996-3.1-cln.swf.gz", 32_135, 400, 0},
		{"KTH-SP2-1996-2.1-cln.swf.gz", 28_476, 100, 0},
		{"NASA-iPSC-1993-3.1-cln.swf.gz", 18_239, 128, 0},
		{"lublin_256.swf.gz", 10_000, 256, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := openTrace(t, c.name)
			arrivals := load(t, f)
			if n := len(arrivals) + int(f.Skipped()); n != c.jobs {
				t.Errorf("%d arrivals and %d left out, want %d jobs", len(arrivals), f.Skipped(), c.jobs)
			}
			if f.Skipped() > 0 {
				t.Logf("%d left out", f.Skipped())
			}
			if n := f.Header().Processors(); n != c.processors {
				t.Errorf("%d processors, want %d", n, c.processors)
			}
			if f.BytesRead() != f.Size() {
				t.Errorf("read %d of %d bytes", f.BytesRead(), f.Size())
			}
			if steps := stepsBack(t, c.name); steps != c.stepsBack {
				t.Errorf("%d steps back, want %d", steps, c.stepsBack)
			}
			// The records that step back (LLNL-Thunder) have a submit time of -1
			// and no processors: once they are left out, all logs are in order.
			if _, err := Load(InOrder(FromSlice(arrivals))); err != nil || !Sorted(arrivals) {
				t.Errorf("order: %v", err)
			}
			for i := range arrivals {
				if err := arrivals[i].Job.Validate(); err != nil {
					t.Fatalf("job %s: %v", arrivals[i].Label(), err)
				}
			}
		})
	}
}

// stepsBack counts the records of a log that were submitted before the one
// above them.
func stepsBack(t *testing.T, name string) int {
	log := openTrace(t, name).SWF()
	steps, before := 0, 0.0
	for {
		var r Record
		err := log.Read(&r)
		if errors.Is(err, io.EOF) {
			return steps
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Submit < before {
			steps++
		}
		before = r.Submit
	}
}

// A stream that is out of order says where, with the line of the file.
func TestOutOfOrderNamesTheLine(t *testing.T) {
	const rest = " -1 10 2 -1 -1 2 10 -1 1 3 -1 -1 -1 -1 -1 -1\n"
	f, err := OpenReader(strings.NewReader("; x\n7 5"+rest+"8 9"+rest+"9 6"+rest), "log.swf")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Load(InOrder(f))
	if want := "line 4: job 9: submit: 6 is before 9, that of the job before it"; errorText(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The means that 000 and 001 print come out of the last records, unfiltered.
func TestSelectionsOfThePapers(t *testing.T) {
	var records []Record
	log := openTrace(t, "SDSC-SP2-1998-4.2-cln.swf.gz").SWF()
	for {
		var r Record
		err := log.Read(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	for _, c := range []struct {
		n                int
		gap, run, procs  float64
		ran, neverOrZero int
	}{
		{5000, 1968.88, 8670.94, 16.91, 4531, 469},
		{1000, 2276.31, 10609.76, 18.33, 898, 102},
	} {
		last := records[len(records)-c.n:]
		var run, procs float64
		for i := range last {
			run += last[i].Run
			procs += last[i].ReqProcs
		}
		n := float64(c.n)
		near(t, "mean gap", (last[c.n-1].Submit-last[0].Submit)/(n-1), c.gap, 0.005)
		near(t, "mean run time", run/n, c.run, 0.005)
		near(t, "mean processors", procs/n, c.procs, 0.005)

		arrivals, err := Last(openTrace(t, "SDSC-SP2-1998-4.2-cln.swf.gz"), c.n)
		if err != nil {
			t.Fatal(err)
		}
		short := 0
		for i := range arrivals {
			if arrivals[i].Number != int64(last[i].Job) || float64(arrivals[i].Job.Width) != last[i].ReqProcs {
				t.Fatalf("arrival %d is %+v, want %+v", i, arrivals[i], last[i])
			}
			if last[i].Run < 1 {
				short++
				if arrivals[i].Actual != 1 {
					t.Fatalf("job %s runs %v", arrivals[i].Label(), arrivals[i].Actual)
				}
			}
		}
		if short != c.neverOrZero || c.n-short != c.ran {
			t.Errorf("%d of %d never ran, want %d", short, c.n, c.neverOrZero)
		}
	}
}

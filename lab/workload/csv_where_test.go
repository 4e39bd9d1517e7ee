package workload_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
)

// Where a job may be and when it may begin: until then it is not there, and what is written of
// it is read again.
func TestCSVWhere(t *testing.T) {
	const text = "id,submit,runtime,procs,partition,nodelist,exclude,begin\n" +
		"a,0,10,1,fast,n1;n2,,\n" +
		"b,1,10,1,fast,n1;n2,,0.5\n" +
		"c,2,10,1,,,n3,50\n" +
		"d,3,10,1,,,,\n"
	read := func(text string) []workload.Arrival {
		t.Helper()
		c, err := workload.NewCSV(strings.NewReader(text), "x.csv")
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := workload.Load(c)
		if err != nil {
			t.Fatal(err)
		}
		return jobs
	}
	jobs := read(text)
	if w := jobs[0].Job.Where; w == nil || *w != (market.Where{Partition: "fast", Nodes: "n1,n2"}) || w != jobs[1].Job.Where {
		t.Errorf("a is at %+v, b at %+v", jobs[0].Job.Where, jobs[1].Job.Where)
	}
	if w := jobs[2].Job.Where; w == nil || *w != (market.Where{Exclude: "n3"}) || jobs[3].Job.Where != nil {
		t.Errorf("c is at %+v, d at %+v", w, jobs[3].Job.Where)
	}
	for i, want := range []market.Time{0, 1, 50, 3} {
		if jobs[i].Job.Submit != want {
			t.Errorf("job %d comes at %v, want %v", i, jobs[i].Job.Submit, want)
		}
	}
	for _, placed := range []bool{true, false} {
		var out bytes.Buffer
		w, err := workload.NewWriter(&out, workload.FormatCSV, nil, placed)
		if err != nil {
			t.Fatal(err)
		}
		if err := workload.Copy(t.Context(), w, workload.FromSlice(jobs)); err != nil {
			t.Fatal(err)
		}
		again := read(out.String())
		if at := again[0].Job.Where; placed != (at != nil) || placed && *at != *jobs[0].Job.Where || again[2].Job.Submit != 50 {
			t.Errorf("placed %v: written as\n%s", placed, out.String())
		}
	}
}

func TestCSVWhereThatMakesNoSense(t *testing.T) {
	for column, value := range map[string]string{"partition": "a;b", "nodelist": "n1;;n2", "exclude": "n 1", "begin": "soon"} {
		c, err := workload.NewCSV(strings.NewReader("id,submit,runtime,procs,"+column+"\na,0,10,1,"+value+"\n"), "x.csv")
		if err != nil {
			t.Fatal(err)
		}
		if _, err = workload.Load(c); err == nil || !strings.Contains(err.Error(), "x.csv line 2: "+column) {
			t.Errorf("%s=%s: %v", column, value, err)
		}
	}
}

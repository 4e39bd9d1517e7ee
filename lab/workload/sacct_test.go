package workload_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
)

// month has a line of each kind that sacct --parsable2 --duplicates writes.
const month = `JobID|User|State|Submit|Start|End|Elapsed|Timelimit|ReqCPUS|AllocCPUS
100|ann|COMPLETED|2026-10-01T08:00:00|2026-10-01T08:00:10|2026-10-01T09:00:10|01:00:00|02:00:00|4|8
100.batch||COMPLETED|2026-10-01T08:00:10|2026-10-01T08:00:10|2026-10-01T09:00:10|01:00:00||4|4
100.extern||COMPLETED|2026-10-01T08:00:10|2026-10-01T08:00:10|2026-10-01T09:00:10|01:00:00||4|4
101_1|bob|FAILED|2026-10-01T08:30:00|2026-10-01T08:30:00|2026-10-01T08:30:12|00:00:12|1-00:00:00|1|1
101_2|bob|TIMEOUT|2026-10-01T08:30:00|2026-10-01T08:31:00|2026-10-02T08:31:30|1-00:00:30|1-00:00:00|1|1
101_[3-6,9%2]|bob|PENDING|2026-10-01T08:30:00|Unknown|Unknown|00:00:00|1-00:00:00|1|0
102|ann|CANCELLED by 1000|2026-10-01T08:40:00|2026-10-01T08:41:00|2026-10-01T08:41:00|00:00:00|UNLIMITED|2|0
103|ann|CANCELLED by 0|2026-10-01T08:50:00|2026-10-01T08:50:00|2026-10-01T08:55:00|00:05:00|UNLIMITED|2|2
104|cat|NODE_FAIL|2026-10-01T09:00:00|2026-10-01T09:00:00|2026-10-01T09:10:00|00:10:00|01:00:00|3|3
104|cat|REQUEUED|2026-10-01T09:10:00|2026-10-01T09:12:00|2026-10-01T09:13:00|00:01:00|01:00:00|3|3
104|cat|COMPLETED|2026-10-01T09:13:00|2026-10-01T09:20:00|2026-10-01T09:50:00|00:30:00|01:00:00|3|3
105|dan|RUNNING|2026-10-01T09:30:00|2026-10-01T09:30:00|Unknown|00:40:00|01:00:00|1|1
106+0|dan|COMPLETED|2026-10-01T09:40:00|2026-10-01T09:40:00|2026-10-01T09:41:00|00:01:00|Partition_Limit|2|2
106+1|dan|OUT_OF_MEMORY|2026-10-01T09:40:00|2026-10-01T09:40:00|2026-10-01T09:41:00|00:01:00||1|1
107|dan|NODE_FAIL|2026-10-01T09:45:00|2026-10-01T09:46:00|2026-10-01T09:47:00|00:01:00|00:10:00|1|1
100|eve|COMPLETED|2026-10-30T08:00:00|2026-10-30T08:00:00|2026-10-30T08:00:00|00:00:00|00:10:00|1|1
108|eve|COMPLETED|Unknown|2026-10-30T08:00:00|2026-10-30T08:00:01|00:00:01|00:10:00|1|1
103|ann|CANCELLED by 0|2026-10-01T08:50:00|2026-10-01T08:50:00|2026-10-01T08:55:00|00:05:00|UNLIMITED|2|2
`

func TestSacct(t *testing.T) {
	s, err := workload.NewSacct(strings.NewReader(month), "month", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	arrivals, err := workload.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	ends := s.Finished()
	for i := range arrivals {
		a := &arrivals[i]
		end, finished := ends[a.Label()]
		got = append(got, fmt.Sprint(a.Label(), " ", a.Job.Owner, " at ", a.Job.Submit, ": ", a.Actual, " of ", a.Job.Estimate, " on ", a.Job.Width, ", ", end, " ", finished))
	}
	want := `100 ann at 0: 3600 of 7200 on 4, 3610 true
101_1 bob at 1800: 12 of 86400 on 1, 1812 true
101_2 bob at 1800: 86430 of 86400 on 1, 88290 true
103 ann at 3000: 300 of 300 on 2, 3300 true
104 cat at 3600: 1800 of 3600 on 3, 6600 true
106+0 dan at 6000: 60 of 60 on 2, 6060 true
106+1 dan at 6000: 60 of 60 on 1, 6060 true
107 dan at 6300: 60 of 600 on 1, 0 false
100#2 eve at 2.5056e+06: 1 of 600 on 1, 2.5056e+06 true`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if left := s.Left(); left != (workload.SacctLeft{NeverRan: 6, Underway: 1, Shapeless: 1}) {
		t.Errorf("left out: %+v", left)
	}
	// At 08:50: 100 has 8 processors, 101_2 one and 103 two.
	if h := s.Header(); h.Processors() != 11 || h.Get("UnixStartTime") != fmt.Sprint(time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC).Unix()) {
		t.Errorf("%q", h.Lines)
	}
}

// What a slurmdbd of 22.05 has said of an array, a heterogeneous job, one that was requeued,
// two that were cancelled, one before it began, and one that runs.
func TestSacctOfARealCluster(t *testing.T) {
	file, err := workload.Open("testdata/sacct-22.05.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, err := workload.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range all {
		got = append(got, fmt.Sprintf("%s:%v/%v", all[i].Label(), all[i].Actual, all[i].Job.Estimate))
	}
	if want := "1:3/60 5+0:1/60 5+1:1/60 2_1:2/300 2_2:2/300 2_3:2/300 2_4:2/300 4:6/120 11:6/86400"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", got, want)
	}
	if left := file.Sacct().Left(); left != (workload.SacctLeft{NeverRan: 1, Underway: 1}) || file.Header().Processors() != 2 {
		t.Errorf("%+v, %q", left, file.Header().Lines)
	}
}

// Times are of the place where sacct was asked, over a change of the clock too, or say
// their zone, or are seconds.
func TestSacctZones(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err) // Go brings its own
	}
	const head = "JobID|State|Submit|Start|ElapsedRaw|TimelimitRaw|NCPUS|\n"
	for name, c := range map[string]struct {
		lines string
		want  market.Time
	}{
		"the clock goes back": {"1|COMPLETED|2026-10-25T01:30:00|2026-10-25T01:30:00|5|10|1|\n2|COMPLETED|2026-10-25T04:30:00|2026-10-25T04:30:00|5|10|1|\n", 4 * 3600},
		"the clock goes on":   {"1|COMPLETED|2026-03-29T01:30:00|2026-03-29T01:30:00|5|10|1|\n2|COMPLETED|2026-03-29T04:30:00|2026-03-29T04:30:00|5|10|1|\n", 2 * 3600},
		"they say it":         {"1|COMPLETED|2026-10-01T10:00:00+0200|None|5|10|1|\n2|COMPLETED|2026-10-01T09:00:00Z|None|5|10|1|\n", 3600},
		"seconds":             {"1|COMPLETED|1790000000|1790000000|5|10|1|\n2|COMPLETED|1790000060|0|5|10|1|\n", 60},
	} {
		s, err := workload.NewSacct(strings.NewReader(head+c.lines), "a", berlin)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all, err := workload.Load(s)
		if err != nil || len(all) != 2 || all[1].Job.Submit != c.want || all[1].Job.Estimate != 600 {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
}

func TestSacctMistakes(t *testing.T) {
	const head = "JobID|State|Submit|Elapsed|ReqCPUS\n"
	for text, want := range map[string]string{
		"":                               "a: empty",
		"\n\n":                           "a: empty",
		"100|COMPLETED\n":                "a line 1: JobID: is missing (ask for sacct --parsable2 --format JobID,",
		"JobID|State|Submit|Elapsed\n":   "a line 1: ReqCPUS: is missing",
		"JobID|State|Submit|End|NCPUS\n": "a line 1: Start: is missing, and so is Elapsed",
		"JobID|JobID|State\n":            "a line 1: jobid: is there twice",
		head + "1|COMPLETED|2026-10-01T08:00:00|00:00:05\n":             "a line 2: 4 fields, and the first line names 5",
		head + "\n1|COMPLETED|2026-10-01T08:00:00|00:00:05|1|x\n":       "a line 3: 6 fields",
		head + "1|DONE|2026-10-01T08:00:00|00:00:05|1\n":                `a line 2: State: "DONE" is no state of a job`,
		head + "1|COMPLETED|yesterday|00:00:05|1\n":                     `a line 2: Submit: "yesterday" is no time`,
		head + "1|COMPLETED|2026-10-01T08:00:00|5 s|1\n":                `a line 2: Elapsed: "5 s" is no time that something takes`,
		head + "1|COMPLETED|2026-10-01T08:00:00|1-05:00|1\n":            `a line 2: Elapsed: "1-05:00"`,
		head + "1|COMPLETED|2026-10-01T08:00:00|00:61:00|1\n":           `a line 2: Elapsed: "00:61:00"`,
		head + "1|COMPLETED|2026-10-01T08:00:00|00:00:05|many\n":        `a line 2: ReqCPUS: "many": not a number`,
		head + "1|COMPLETED|2026-10-01T08:00:00|00:00:05|-1\n":          `a line 2: ReqCPUS: "-1": less than 0`,
		head + "1|COMPLETED|2026-10-01T08:00:00|00:00:05|99999999999\n": "a line 2: ReqCPUS: 9.9999999999e+10: too large",
		head + "|COMPLETED|2026-10-01T08:00:00|00:00:05|1\n":            "a line 2: JobID: is empty",
		head + "1_[5-3]|PENDING|2026-10-01T08:00:00|00:00:05|1\n":       `a line 2: JobID: "1_[5-3]" is no number of a job`,
	} {
		if _, err := workload.NewSacct(strings.NewReader(text), "a", time.UTC); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// What sacct writes is known whatever the file is called, and becomes a CSV.
func TestSacctIsAWorkload(t *testing.T) {
	file, err := workload.OpenReader(strings.NewReader(month), "october.csv")
	if err != nil || file.Format() != workload.FormatSacct || file.Format().String() != "sacct" || file.Sacct() == nil || file.Header().Processors() != 11 || file.Skipped() != 1 || file.Line() != 0 {
		t.Fatalf("%+v, %v", file, err)
	}
	var out bytes.Buffer
	w, err := workload.NewCSVWriter(&out)
	if err == nil {
		err = workload.Copy(t.Context(), w, file)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := workload.OpenReader(&out, "a.csv")
	if err != nil {
		t.Fatal(err)
	}
	if all, err := workload.Load(again); err != nil || len(all) != 9 || all[4].Label() != "104" || all[4].Job.Owner != "cat" {
		t.Errorf("%+v, %v", all, err)
	}
}

// Whatever is accepted is in order, and has a size and a time.
func FuzzSacct(f *testing.F) {
	f.Add(month)
	f.Add("JobID|State|Submit|Start|ElapsedRaw|TimelimitRaw|NCPUS|\n1_[1-3:2,7...|RESIZING|5|6|7|8|9|\n")
	f.Add("Cluster|JobID|State|Submit|Start|End|NCPUS\na|1|RESIZING|5|6|7|8\na|1|REQUEUED|8|6|7|8\nb|1|PREEMPTED|8|6|7|8\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := workload.NewSacct(strings.NewReader(text), "a", time.UTC)
		if err != nil {
			var at *market.PlaceError
			if !errors.As(err, &at) || at.File != "a" {
				t.Fatalf("%v does not say where", err)
			}
			return
		}
		names, last := map[string]bool{}, market.Time(0)
		var a workload.Arrival
		for {
			err := s.Next(&a)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || a.Job.Submit < last || a.Job.Width < 1 || a.Actual < 1 || !(a.Job.Estimate > 0) || names[a.Label()] {
				t.Fatalf("%+v, %v", a, err)
			}
			if err := a.Job.Validate(); err != nil {
				t.Fatalf("%+v: %v", a, err)
			}
			names[a.Label()], last = true, a.Job.Submit
		}
		for name := range s.Finished() {
			if !names[name] {
				t.Errorf("%q has ended, and never came", name)
			}
		}
	})
}

package workload

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

func readCSV(text string) ([]Arrival, error) {
	c, err := NewCSV(strings.NewReader(text), "jobs.csv")
	if err != nil {
		return nil, err
	}
	return Load(c)
}

func TestCSVReads(t *testing.T) {
	plain := Arrival{
		Job: market.Job{
			Name: "a", Submit: 1, Estimate: 10, Width: 2,
			SLA: market.SLA{Deadline: market.Never, Budget: market.Unlimited},
		},
		Actual: 10,
	}
	full := Arrival{
		Job: market.Job{
			Name: "a,b", Submit: 1.5, Estimate: 8, Width: 4, Memory: 512, Disk: 7, Class: 3, GPUs: 2, Threads: 2, Owner: "ann",
			SLA: market.SLA{Deadline: 20.25, Budget: 99.5, Penalty: 0.125, Soft: true},
		},
		Actual: 10,
	}
	for _, c := range []struct {
		name, text string
		want       []Arrival
	}{
		{"needed columns only", "id,submit,runtime,procs\na,1,10,2\n", []Arrival{plain}},
		{"any order, blanks", "procs, runtime ,submit,id\n 2,10 ,1,a\n", []Arrival{plain}},
		{"mark, line ends, empty line", "\ufeffid,submit,runtime,procs\r\n\r\na,1,10,2\r\n", []Arrival{plain}},
		{"empty means default", "id,submit,runtime,estimate,procs,deadline,deadline_type,budget,penalty_rate,user,memory_mb,disk_mb,class\n" +
			"a,1,1e1,,2,,,,,,,,", []Arrival{plain}},
		{"everything", "id,submit,runtime,estimate,procs,deadline,deadline_type,budget,penalty_rate,user,memory_mb,disk_mb,class,gpus,threads\n" +
			"\"a,b\",1.5,10,8,4,20.25,soft,99.5,.125,ann,512,7,3,2,2\n", []Arrival{full}},
		{"no jobs", "id,submit,runtime,procs\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readCSV(c.text)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, c.want)
		})
	}
}

func TestCSVSaysWhatIsWrong(t *testing.T) {
	const head = "id,submit,runtime,procs,estimate,deadline,deadline_type,budget,penalty_rate,memory_mb,class\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "jobs.csv: no header line"},
		{"unknown column", "id,submit,runtime,procs,colour\n", `jobs.csv line 1: unknown column "colour" (want some of id, submit, runtime, estimate, ` +
			`procs, deadline, deadline_type, budget, penalty_rate, user, memory_mb, disk_mb, class, gpus, threads, partition, nodelist, exclude, begin)`},
		{"twice", "id,submit,runtime,procs,submit\n", `jobs.csv line 1: column "submit" is there twice`},
		{"missing", "id,submit,procs\n", `jobs.csv line 1: no column "runtime" (needed: id, submit, runtime, procs)`},
		{"columns", "id,submit,runtime,procs\na,1,2\n", "jobs.csv line 2: 3 columns, the header line has 4"},
		{"empty id", "id,submit,runtime,procs\n ,1,2,3\n", "jobs.csv line 2: id: empty, but needed"},
		{"id twice", "id,submit,runtime,procs\na,1,2,3\nb,1,2,3\n\na,1,2,3\n", `jobs.csv line 5: id: "a" is there twice, first in line 2`},
		{"line in id", "id,submit,runtime,procs\n\"a\nb\",1,2,3\n", `jobs.csv line 2: id: "a\nb" has a control character in it`},
		{"quote", "id,submit,runtime,procs\na\"b,1,2,3\n", "jobs.csv line 2: column 2: bare \" in non-quoted-field"},
		{"empty submit", "id,submit,runtime,procs\na,,2,3\n", "jobs.csv line 2: submit: empty, but needed"},
		{"text", "id,submit,runtime,procs\na,1,two,3\n", `jobs.csv line 2: runtime: "two": not a number`},
		{"infinite", "id,submit,runtime,procs\na,1,Inf,3\n", `jobs.csv line 2: runtime: "Inf": not a number`},
		{"negative runtime", "id,submit,runtime,procs\na,1,-2,3\n", "jobs.csv line 2: runtime: -2 makes no sense (want 0 or more)"},
		{"no processors", "id,submit,runtime,procs\na,1,2,0\n", "jobs.csv line 2: procs: 0 makes no sense (want at least 1)"},
		{"half a processor", "id,submit,runtime,procs\na,1,2,1.5\n", "jobs.csv line 2: procs: 1.5: not a whole number"},
		{"many processors", "id,submit,runtime,procs\na,1,2,1e10\n", "jobs.csv line 2: procs: 1e+10: too large"},
		{"estimate", head + "a,1,2,3,-1,,,,,,\n", "jobs.csv line 2: estimate: -1 makes no sense (want 0 or more)"},
		{"deadline", head + "a,1,2,3,,-5,,,,,\n", "jobs.csv line 2: deadline: -5 makes no sense (want 0 or more, or none)"},
		{"deadline type", head + "a,1,2,3,,5,firm,,,,\n", `jobs.csv line 2: deadline_type: "firm" (want hard or soft)`},
		{"budget", head + "a,1,2,3,,5,,-1,,,\n", "jobs.csv line 2: budget: -1 makes no sense (want 0 or more, or none)"},
		{"penalty", head + "a,1,2,3,,5,,,-1,,\n", "jobs.csv line 2: penalty_rate: -1 makes no sense (want 0 or more)"},
		{"memory", head + "a,1,2,3,,5,,,,-1,\n", "jobs.csv line 2: memory_mb: -1 makes no sense (want 0 or more)"},
		{"class", head + "a,1,2,3,,5,,,,,-1\n", "jobs.csv line 2: class: -1: less than 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readCSV(c.text)
			if got := errorText(err); got != c.want {
				t.Fatalf("error %s\nwant  %s", got, c.want)
			}
		})
	}
	_, err := readCSV("id,submit,runtime,procs\na,1,2,0\n")
	var place *market.PlaceError
	var field *market.FieldError
	if !errors.As(err, &place) || place.Line != 2 || place.Field != "procs" || !errors.As(err, &field) {
		t.Errorf("%#v does not say its place", err)
	}
}

// drawArrivals makes up arrivals that a CSV file can hold.
func drawArrivals(t *rapid.T) []Arrival {
	number := func(name string) float64 {
		return rapid.OneOf(rapid.Float64Range(0, 1e15), rapid.Float64Range(0, 1), rapid.Map(rapid.IntRange(0, 100), func(i int) float64 {
			return float64(i)
		})).Draw(t, name) + 0
	}
	names := rapid.SliceOfDistinct(rapid.StringMatching(`[a-zé"',;#]([^\x00-\x1f\x7f-\x9f]{0,6}[a-z"])?`), func(s string) string { return s }).Draw(t, "names")
	arrivals := make([]Arrival, len(names))
	for i, name := range names {
		a := &arrivals[i]
		a.Job = market.Job{
			Name: name, Submit: market.Time(number("submit")), Estimate: market.Work(number("estimate")),
			Width: rapid.Int32Range(1, market.MaxWidth).Draw(t, "width"), Class: rapid.Int32Min(0).Draw(t, "class"),
			Memory: rapid.Int64Range(0, 1e15).Draw(t, "memory"), Disk: rapid.Int64Range(0, 1e15).Draw(t, "disk"),
			Owner: market.Account(rapid.SampledFrom([]string{"", "ann", "bob, the other", "7"}).Draw(t, "owner")),
			SLA: market.SLA{
				Deadline: market.Never, Budget: market.Unlimited, Penalty: market.Price(number("penalty")),
				Soft: rapid.Bool().Draw(t, "soft"),
			},
		}
		if rapid.Bool().Draw(t, "limited") {
			a.Job.SLA.Deadline, a.Job.SLA.Budget = market.Time(number("deadline")), market.Price(number("budget"))
		}
		a.Actual = market.Work(number("runtime"))
	}
	return arrivals
}

func TestCSVReadsBackWhatItWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawArrivals(t)
		var out bytes.Buffer
		if err := WriteCSV(&out, want); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		got, err := readCSV(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(got) != len(want) {
			t.Fatalf("%d arrivals, want %d", len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%+v, want\n%+v", got[i], want[i])
			}
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("id,submit,runtime,estimate,procs,deadline,deadline_type,budget,penalty_rate,user,memory_mb,disk_mb,class\n" +
		"\"a,b\",1.5,10,8,4,20.25,soft,99.5,.125,ann,512,7,3\nc,-1,0,,1,,,,,,,,\n"))
	f.Add([]byte("\ufeffprocs,id,runtime,submit\r\n1, x ,1e3,-0\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := NewCSV(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		first, err := Load(c)
		if err != nil {
			return
		}
		for i := range first {
			if err := first[i].Job.Validate(); err != nil || !(first[i].Actual >= 0) || first[i].Job.Name == "" {
				t.Fatalf("%+v: %v", first[i], err)
			}
		}
		var out bytes.Buffer
		if err := WriteCSV(&out, first); err != nil {
			t.Fatal(err)
		}
		if c, err = NewCSV(bytes.NewReader(out.Bytes()), "written"); err != nil {
			t.Fatal(err)
		}
		second, err := Load(c)
		if err != nil {
			t.Fatalf("%v in %q", err, out.String())
		}
		compare(t, second, first)
	})
}

package grid_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
)

func TestReadSites(t *testing.T) {
	got, err := grid.ReadSites(strings.NewReader("\ufeffmips,site, processors\r\n500.5,R1,32\r\n750, R 2 ,16\r\n"), "sites.csv")
	want := []grid.Resource{{Name: "R1", Processors: 32, MIPS: 500.5}, {Name: "R 2", Processors: 16, MIPS: 750}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestReadApplications(t *testing.T) {
	got, err := grid.ReadApplications(strings.NewReader(
		"id,arrival,p,m,o,deadline,bm,optional_rate,budget\na,1.5,2,30,40,50,6,0.25,\nb,0,1,1,1,1,1,,0:0;2:3\n"), "apps.csv")
	if err != nil {
		t.Fatal(err)
	}
	linear, _ := grid.Linear(0.25)
	corners, _ := grid.Piecewise(grid.Point{}, grid.Point{Work: 2, Paid: 3})
	want := []grid.Application{
		{ID: "a", Arrival: 1.5, Jobs: 2, Mandatory: 30, Optional: 40, Deadline: 50, Worth: 6, Budget: linear},
		{ID: "b", Position: 1, Jobs: 1, Mandatory: 1, Optional: 1, Deadline: 1, Worth: 1, Budget: corners},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if offered := got[0].Offered(); offered != 2*(6+10) {
		t.Errorf("a offers %v", offered)
	}
}

// Every mistake is told with its file, its line and its column.
func TestMistakesInFiles(t *testing.T) {
	const header = "id,arrival,p,m,o,deadline,bm,optional_rate\n"
	apps := func(text string) error {
		_, err := grid.ReadApplications(strings.NewReader(text), "apps.csv")
		return err
	}
	sites := func(text string) error {
		_, err := grid.ReadSites(strings.NewReader(text), "sites.csv")
		return err
	}
	for _, c := range []struct {
		read func(string) error
		text string
		want string
	}{
		{apps, "", "apps.csv: no header line (want id,arrival"},
		{apps, "id,arrival,p,m,o,deadline,bm,rate\n", `apps.csv line 1: unknown column "rate"`},
		{apps, "id,arrival,p,m,o,deadline,bm\n", `apps.csv line 1: no column "optional_rate" (or "budget")`},
		{apps, "id,arrival,p,m,deadline,bm,optional_rate\n", `apps.csv line 1: no column "o"`},
		{apps, "id,id,arrival,p,m,o,deadline,bm,optional_rate\n", `apps.csv line 1: column "id" is there twice`},
		{apps, header + "a,0,1,1,1,1,1\n", "apps.csv line 2: 7 columns, the header line has 8"},
		{apps, header + "\n\na,0,1,1,ten,1,1,1\n", `apps.csv line 4: o: "ten" is not a number`},
		{apps, header + "a,0,1,1,1,1,1,1\na,0,1,1,1,1,1,1\n", `apps.csv line 3: id: "a" is there twice, first in line 2`},
		{apps, header + ",0,1,1,1,1,1,1\n", "apps.csv line 2: id: empty, but needed"},
		{apps, header + "a\tb,0,1,1,1,1,1,1\n", "apps.csv line 2: id: \"a\\tb\" has a control character"},
		{apps, header + "a,-1,1,1,1,1,1,1\n", "apps.csv line 2: arrival: -1 makes no sense"},
		{apps, header + "a,0,1.5,1,1,1,1,1\n", `apps.csv line 2: p: "1.5" is not a whole number`},
		{apps, header + "a,0,0,1,1,1,1,1\n", "apps.csv line 2: p: 0 makes no sense"},
		{apps, header + "a,0,9999999,1,1,1,1,1\n", "apps.csv line 2: p: 9.999999e+06 makes no sense"},
		{apps, header + "a,0,1,-1,1,1,1,1\n", "apps.csv line 2: m: -1 makes no sense"},
		{apps, header + "a,0,1,1,1,1e300,1,1\n", "apps.csv line 2: deadline: 1e+300 makes no sense"},
		{apps, header + "a,0,1,1,1,NaN,1,1\n", `apps.csv line 2: deadline: "NaN" is not a number`},
		{apps, header + "a,0,1,1,1,1,1,\n", "apps.csv line 2: optional_rate: empty, but needed"},
		{apps, header + "a,0,1,1,1,1,1,-2\n", "apps.csv line 2: optional_rate: -2 for each MI makes no sense"},
		{apps, header + "\"a,0,1,1,1,1,1,-2\n", "apps.csv line 2: column"},
		{apps, "id,arrival,p,m,o,deadline,bm,budget\na,0,1,1,1,1,1,\n", "apps.csv line 2: budget: empty, but needed"},
		{apps, "id,arrival,p,m,o,deadline,bm,budget\na,0,1,1,1,1,1,0:2;1:1\n", "apps.csv line 2: budget: point 2: pays 1"},
		{apps, "id,arrival,p,m,o,deadline,bm,budget,optional_rate\na,0,1,1,1,1,1,0:2,1\n", "apps.csv line 2: budget: optional_rate says already"},
		{sites, "", "sites.csv: no header line (want site,processors,mips)"},
		{sites, "site,processors,mips\n", "sites.csv: no sites"},
		{sites, "site,processors,mips,price\n", `sites.csv line 1: unknown column "price"`},
		{sites, "site,processors,mips\nR1,0,1\n", "sites.csv line 2: processors: 0 makes no sense"},
		{sites, "site,processors,mips\nR1,1,0\n", "sites.csv line 2: mips: 0 makes no sense"},
		{sites, "site,processors,mips\nR1,1,1\nR1,1,1\n", `sites.csv line 3: site: "R1" is there twice, first in line 2`},
		{sites, "site,processors,mips\nR1,many,1\n", `sites.csv line 2: processors: "many" is not a number`},
	} {
		err := c.read(c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// FuzzSites: no text breaks the reader, and what it accepts makes sense.
func FuzzSites(f *testing.F) {
	f.Add([]byte("site,processors,mips\nR1,32,500\n\"a \"\"b\"\"\",1,1e3\n"))
	f.Add([]byte("\ufeffmips, processors ,site\r\n.5,1,x\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sites, err := grid.ReadSites(bytes.NewReader(data), "fuzz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz") {
				t.Fatalf("an error without its place: %v", err)
			}
			return
		}
		for i := range sites {
			if err := sites[i].Validate(); err != nil || sites[i].Name == "" {
				t.Fatalf("%+v: %v", sites[i], err)
			}
		}
	})
}

// FuzzApplications: as FuzzSites, and what is written reads back the same.
func FuzzApplications(f *testing.F) {
	f.Add([]byte("id,arrival,p,m,o,deadline,bm,optional_rate\na,0,1,2.5,3,1e2,4,.5\n\"b,c\",1,16,1,0,0,0,-0\n"))
	f.Add([]byte("budget,id,arrival,p,m,o,deadline,bm\r\n0:0;1.5:2;3:2,x,0,1,1,1,1,1\r\n"))
	f.Add([]byte("id,arrival,p,m,o,deadline,bm,optional_rate,budget\na,0,1,1,1,1,1,2,\nb,0,1,1,1,1,1,,0:7\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		apps, err := grid.ReadApplications(bytes.NewReader(data), "fuzz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz") {
				t.Fatalf("an error without its place: %v", err)
			}
			return
		}
		for i := range apps {
			a := &apps[i]
			if err := a.Validate(); err != nil || a.ID == "" || a.Position != i || !(a.Budget.At(a.Optional) >= a.Budget.At(0)) {
				t.Fatalf("%+v: %v", a, err)
			}
		}
		var out bytes.Buffer
		if err := grid.WriteApplications(&out, apps); err != nil {
			t.Fatal(err)
		}
		again, err := grid.ReadApplications(bytes.NewReader(out.Bytes()), "written")
		if err != nil {
			t.Fatalf("%v in %q", err, out.String())
		}
		if len(again) != len(apps) || len(apps) > 0 && !reflect.DeepEqual(again, apps) {
			t.Fatalf("%v, want\n%v", again, apps)
		}
	})
}

func TestPaperWorkload(t *testing.T) {
	w := grid.Figure6(0.1)
	apps, err := w.Generate(7)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Generate(7)
	if err != nil || !reflect.DeepEqual(apps, again) {
		t.Errorf("one seed, two workloads (%v)", err)
	}
	other, err := w.Generate(8)
	if err != nil || reflect.DeepEqual(apps[0], other[0]) {
		t.Errorf("two seeds, one workload (%v)", err)
	}
	var gaps, jobs float64
	var before market.Time
	for i := range apps {
		a := &apps[i]
		gaps += float64(a.Arrival - before)
		before = a.Arrival
		jobs += float64(a.Jobs)
		share := float64(a.Optional / a.Mandatory)
		laxity := float64(a.Deadline)*1000/float64(a.Mandatory+a.Optional) - 1
		rate, _ := a.Budget.Rate()
		factor := float64(rate) / 0.1 / float64(a.Worth) * 1e6
		if err := a.Validate(); err != nil || a.Jobs > 16 || a.Mandatory < 600_000 || a.Mandatory > 7_200_000 ||
			share < 0.5 || share > 4 || laxity < 0.1-1e-9 || laxity > 0.5+1e-9 {
			t.Fatalf("%+v: %v", a, err)
		}
		if r := factor * 2; r < 1-1e-9 || r > 3+1e-9 {
			t.Fatalf("%+v: factor %v", a, factor)
		}
	}
	if n := float64(len(apps)); n != 1000 || gaps/n < 270 || gaps/n > 330 || jobs/n < 8 || jobs/n > 9 {
		t.Errorf("%v applications, %v s apart, %v jobs each", n, gaps/n, jobs/n)
	}
	// Another laxity or rate is the same applications.
	w = grid.Figure5(0.2)
	other, err = w.Generate(7)
	if err != nil {
		t.Fatal(err)
	}
	for i := range apps {
		a, b := apps[i], other[i]
		a.Deadline, a.Budget = b.Deadline, b.Budget
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v, want %+v", b, a)
		}
	}
	for _, w := range []grid.Workload{
		{Applications: -1},
		{MeanGap: -1},
		{LaxityFrom: 1},
		{LaxityFrom: -2},
		{K: -1},
	} {
		if _, err := w.Generate(1); err == nil {
			t.Errorf("%+v is taken", w)
		}
	}
}

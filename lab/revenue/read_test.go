package revenue

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/admission"
)

const goodModel = `{"capacity":30,"tau_min":13200,"phi":1,"offset":"scaled","load":0.8,"classes":[
 {"name":"high","p0":30000,"v1":0.1,"share":0.3,"b1":4400,"b2":21610000},
 {"name":"low","p0":6000,"v1":0.01,"share":0.7,"b1":4400,"b2":21610000}]}`

func TestReadModel(t *testing.T) {
	m, err := ReadModel(strings.NewReader(goodModel))
	if err != nil {
		t.Fatal(err)
	}
	want := admission.TwoClasses(0.3)
	a, b := m.Rate([]float64{0.1, 0.2}), want.Rate([]float64{0.1, 0.2})
	if math.Abs(a-b) > 1e-12 || m.Offset != admission.Scaled || m.Phi != 1 || len(m.Classes) != 2 {
		t.Errorf("%+v", m)
	}
}

func TestReadModelMistakes(t *testing.T) {
	replace := func(old, new string) string { return strings.Replace(goodModel, old, new, 1) }
	for text, want := range map[string]string{
		"":                                     "ends too early",
		"[]":                                   "not an object",
		goodModel + "{}":                       "more after",
		replace(`"load":0.8`, `"load":"x"`):    "load: x is not a number",
		replace(`"load":0.8,`, ``):             "load: missing",
		replace(`"phi":1`, `"psi":1`):          "psi: unknown field",
		replace(`"phi":1`, `"Phi":1`):          "Phi: unknown field",
		replace(`"phi":1`, `"load":1`):         "load: there twice",
		replace(`"phi":1`, `"phi":-1`):         "phi: -1 makes no sense",
		replace(`"phi":1`, `"phi":null`):       "phi: <nil> is not a number",
		replace(`scaled`, `odd`):               `offset: "odd"`,
		replace(`"low"`, `"high"`):             "classes[1].name",
		replace(`"low"`, `""`):                 "classes[1].name: empty",
		replace(`"v1":0.01`, `"v1":-2`):        "classes[1].v1: -2",
		replace(`"v1":0.01`, `"v1":1e999`):     "classes[1].v1",
		replace(`"v1":0.01,`, ``):              "line 3: classes[1].v1: missing",
		replace(`"b1":4400`, `"b1":0`):         "classes[0].b1: 0",
		replace(`"b1":4400`, `"b1":{}`):        "classes[0].b1",
		replace(`"share":0.3`, `"share":[]`):   "classes[0].share",
		`{"capacity":1,"load":1,"classes":[]}`: "classes: none",
		`{"capacity":1,"load":1,"classes":3}`:  "classes: not an array",
	} {
		if _, err := ReadModel(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v does not say %q", text, err, want)
		}
	}
}

// Whatever is read can be computed with and written.
func FuzzReadModel(f *testing.F) {
	f.Add(goodModel)
	f.Add(`{"capacity":1,"load":3,"offset":"wait","classes":[{"name":"a","p0":1,"v1":1e9,"share":1,"b1":1e-9,"b2":1e18}]}`)
	f.Add(`{"capacity":1,"load":1,"classes":[{"name":"a","p0":0,"v1":0,"share":1,"b1":1,"b2":0}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ReadModel(strings.NewReader(text))
		if err != nil || len(m.Classes) > 4 {
			return
		}
		o, err := m.Optimize()
		if err != nil {
			t.Fatal(err)
		}
		for s, q := range o.QByClass {
			if !(q >= 0 && q <= 1) {
				t.Fatalf("q of class %d is %v", s, q)
			}
		}
		if !(o.RevenuePerSecond >= 0) {
			t.Fatalf("revenue %v: admitting nobody earns 0", o.RevenuePerSecond)
		}
		if _, err := json.Marshal(o); err != nil {
			t.Fatal(err)
		}
	})
}

func TestReadJobsMistakes(t *testing.T) {
	s := PaperSystem()
	const header = "id,arrival,class,length,width\n"
	for text, want := range map[string]string{
		"":                                      "no header line",
		"id,arrival,class,length\n":             `no column "width"`,
		"id,arrival,class,length,width,x\n":     `unknown column "x"`,
		header + "a,0,LvLu,1\n":                 "line 2: 4 columns",
		header + ",0,LvLu,1,1\n":                "line 2: id",
		header + "a,0,LvLu,1,1\na,0,LvLu,1,1\n": "line 3: id",
		header + "a,-1,LvLu,1,1\n":              "arrival: -1",
		header + "a,x,LvLu,1,1\n":               `arrival: "x"`,
		header + "a,NaN,LvLu,1,1\n":             `arrival: "NaN" is not a number`,
		header + "a,0,Lv,1,1\n":                 `class: "Lv"`,
		header + "a,0,LvLu,0,1\n":               "length: 0",
		header + "a,0,LvLu,1,1.5\n":             `width: "1.5" is not a whole number`,
		header + "a,0,LvLu,1,0\n":               "width: 0",
		header + "a,0,\"LvLu,1,1\n":             "line 2",
	} {
		if _, err := ReadJobs(strings.NewReader(text), "f.csv", &s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
}

func FuzzReadJobs(f *testing.F) {
	f.Add("id,arrival,class,length,width\na,0,LvLu,7200,500\nb,1e3,HvHu,300,6000\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := PaperSystem()
		named, err := ReadJobs(strings.NewReader(text), "f", &s)
		if err != nil {
			return
		}
		var jobs []Job
		for _, j := range named {
			jobs = append(jobs, j.Job)
		}
		outcomes, _, err := Play(s, jobs, Rule{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range outcomes {
			if o.Fate == Waiting {
				t.Fatalf("job %d has no fate", i)
			}
		}
	})
}

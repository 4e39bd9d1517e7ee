package market

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// JSON carries every number to the last bit.
func TestNumbersSurviveJSON(t *testing.T) {
	check := func(x float64) {
		text, err := json.Marshal(Number(x))
		if err != nil {
			t.Fatalf("%v: %v", x, err)
		}
		var got Number
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if same := math.Float64bits(float64(got)) == math.Float64bits(x); !same && !(math.IsNaN(x) && math.IsNaN(float64(got))) {
			t.Errorf("%v is read as %v from %s", x, float64(got), text)
		}
	}
	for _, x := range []float64{
		0, math.Copysign(0, -1), 0.1, 1e21, -1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64,
		math.Inf(1), math.Inf(-1), math.NaN(),
	} {
		check(x)
	}
	rapid.Check(t, func(t *rapid.T) { check(math.Float64frombits(rapid.Uint64().Draw(t, "bits"))) })
	for _, text := range []string{`"much"`, `null`, `true`, `{}`, `""`} {
		var x Number
		if err := json.Unmarshal([]byte(text), &x); err == nil {
			t.Errorf("%s is read as %v", text, float64(x))
		}
	}
}

// What older forms wrote is read too, and a job is carried whole.
func TestJobsSurviveJSON(t *testing.T) {
	for text, want := range map[string]float64{`"+Inf"`: math.Inf(1), `"-Inf"`: math.Inf(-1), `"never"`: math.Inf(1), `"ever"`: math.Inf(-1), `1.5`: 1.5} {
		var at Time
		if err := json.Unmarshal([]byte(text), &at); err != nil || float64(at) != want {
			t.Errorf("%s: %v, %v", text, at, err)
		}
	}
	j := Job{
		ID: 7, Submit: 1.25, Estimate: 10, Optional: 3, SLA: SLA{Deadline: Never, Budget: Unlimited, Penalty: 0.5, Bonus: 2, Soft: true},
		Memory: 1, Disk: 2, Width: 3, Threads: 3, Class: 1, Objective: Fastest, Owner: "a", Name: "n",
	}
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":7,"submit":1.25,"estimate":10,"optional":3,"deadline":"never","budget":"never","penalty":0.5,"bonus":2,"soft":true,` +
		`"memory":1,"disk":2,"width":3,"threads":3,"class":1,"wish":2,"owner":"a","name":"n"}`
	if string(text) != want {
		t.Errorf("%s", text)
	}
	var back Job
	if err = json.Unmarshal(text, &back); err != nil || back != j {
		t.Errorf("%+v, %v", back, err)
	}
}

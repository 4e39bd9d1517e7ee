package trial_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/lab/trial"
	"github.com/libra-market/libra/lab/workload"
)

func TestSettingsReachWhoKnowsThem(t *testing.T) {
	settings, err := trial.ParseSettings([]string{"beta=0.1", "inaccuracy=0.2", "unused=0.5", "beta=0.3"})
	if err != nil || len(settings) != 3 || !trial.IsSet(settings, "beta") || trial.IsSet(settings, "alpha") {
		t.Fatalf("%v: %v", settings, err)
	}
	contenders, err := trial.Contenders([]string{"libra-plus", "fcfs-bf"})
	if err != nil {
		t.Fatal(err)
	}
	model, err := trial.NewModel("libra-plus")
	if err != nil {
		t.Fatal(err)
	}
	if err := trial.Distribute(settings, contenders, model); err != nil {
		t.Fatal(err)
	}
	plus, plain := contenders[0].Set, contenders[1].Set
	if plus["beta"] != "0.3" || plus["unused"] != "0.5" || plain["unused"] != "0.5" || len(plus) != 2 || len(plain) != 1 {
		t.Errorf("libra-plus has %v, fcfs-bf %v", plus, plain)
	}
	if m := model.Model.(*workload.LibraPlusModel); m.Inaccuracy != 0.2 {
		t.Errorf("the model's inaccuracy is %v", m.Inaccuracy)
	}
}

func TestSettingsThatMakeNoSense(t *testing.T) {
	none, err := trial.NewModel(trial.NoModel)
	if err != nil || !none.None() {
		t.Fatal(err)
	}
	plus, err := trial.NewModel("libra-plus")
	if err != nil {
		t.Fatal(err)
	}
	for text, c := range map[string]struct {
		policies []string
		model    trial.Model
		want     string
	}{
		"bta=1":          {[]string{"libra"}, none, `nobody knows "bta": policy libra has`},
		"unused=1":       {nil, none, "there is no SLA model"}, // rules hold under policies, and there is none
		"inaccuracy=9":   {[]string{"libra"}, plus, "SLA model libra-plus: inaccuracy"},
		"beta=much":      {[]string{"libra-plus"}, none, "beta"},
		"unused=2":       {[]string{"libra"}, none, "unused"},
		"high-urgency=x": {nil, plus, "SLA model libra-plus"},
	} {
		settings, err := trial.ParseSettings([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		contenders, err := trial.Contenders(c.policies)
		if err != nil {
			t.Fatal(err)
		}
		if err = trial.Distribute(settings, contenders, c.model); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", text, err, c.want)
		}
	}
	for _, text := range []string{"", "beta", "=1"} {
		if _, err := trial.ParseSettings([]string{text}); err == nil {
			t.Errorf("%q was taken for a setting", text)
		}
	}
	if _, err := trial.Contenders([]string{"libra", "libra"}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Error(err)
	}
}

func TestGivenEstimatesStay(t *testing.T) {
	for _, c := range []struct {
		estimates trial.Estimates
		set       string
		want      float64
	}{
		{trial.UsualEstimates, "deviation=0", 10},
		{trial.GivenEstimates, "deviation=0", 40},
		{trial.GivenEstimates, "inaccuracy=0.5", 5},
	} {
		model, err := trial.NewModel("libra-plus")
		if err != nil {
			t.Fatal(err)
		}
		settings, err := trial.ParseSettings([]string{c.set})
		if err != nil {
			t.Fatal(err)
		}
		if err := trial.Distribute(settings, nil, model); err != nil {
			t.Fatal(err)
		}
		arrivals := []workload.Arrival{{Actual: 10}}
		arrivals[0].Job.Width, arrivals[0].Job.Estimate = 1, 40
		if err := c.estimates.Agree(model, settings, arrivals, 1); err != nil {
			t.Fatal(err)
		}
		if got := float64(arrivals[0].Job.Estimate); got != c.want {
			t.Errorf("%q, %s: estimate %v, want %v", c.estimates, c.set, got, c.want)
		}
	}
}

package policy_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/policy"
)

// Every policy can be found by its name, and set as it is set by default.
func TestEveryPolicyTakesItsOwnSettings(t *testing.T) {
	for _, kind := range policy.Kinds() {
		found, err := policy.Find(kind.Name)
		if err != nil || found.Name != kind.Name || kind.Summary == "" {
			t.Errorf("%s: %+v, %v", kind.Name, found, err)
		}
		set := map[string]string{}
		for _, s := range kind.Settings() {
			if s.Meaning == "" {
				t.Errorf("%s: nobody says what %s means", kind.Name, s.Name)
			}
			set[s.Name] = s.Value()
		}
		if _, err := kind.New(set); err != nil {
			t.Errorf("%s does not take its defaults: %v", kind.Name, err)
		}
	}
}

// A mistake is answered with what there is to choose from.
func TestMistakesInSettingsSayWhatThereIs(t *testing.T) {
	if _, err := policy.Find("lottery"); err == nil || !strings.Contains(err.Error(), "libra-sla") {
		t.Errorf("an unknown policy: %v", err)
	}
	libra, err := policy.Find("libra")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, value, want string }{
		{"beta", "1", "gamma"},
		{"fit", "worst", "least-loaded"},
		{"gamma", "-1", "gamma"},
		{"gamma", "NaN", "gamma"},
		{"gamma", "Inf", "gamma"},
		{"gamma", "much", "gamma"},
	} {
		if _, err := libra.New(map[string]string{c.name: c.value}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want a word of %s", c.name, c.value, err, c.want)
		}
	}
}

// Settings belong to one policy, not to its kind.
func TestSettingsOfOnePolicyAreItsOwn(t *testing.T) {
	kind, err := policy.Find("libra-plus")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kind.New(map[string]string{"beta": "0.7"}); err != nil {
		t.Fatal(err)
	}
	for _, s := range kind.Settings() {
		if s.Name == "beta" && s.Value() != "0.1" {
			t.Errorf("beta is %s for everybody now", s.Value())
		}
	}
}

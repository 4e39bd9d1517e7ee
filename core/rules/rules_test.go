package rules_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/rules"
)

// What is written is what is read, of the papers' rules and of the live ones.
func TestRulesAreWhatIsWritten(t *testing.T) {
	for name, r := range map[string]rules.Rules{"papers": rules.Papers(), "live": rules.Live()} {
		got, err := rules.Read(r.Map())
		if err != nil || got != r {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, r)
		}
		if len(r.Settings()) != len(rules.Names()) {
			t.Errorf("%s: %d settings of %d", name, len(r.Settings()), len(rules.Names()))
		}
		for _, s := range r.Settings() {
			if s.Meaning == "" || !rules.Known(s.Name) {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

// An epoch that names no rule means the papers', whatever its policy is set to.
func TestNoRulesAreThePapers(t *testing.T) {
	if got, err := rules.Read(map[string]string{"gamma": "2"}); err != nil || got != rules.Papers() {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSplit(t *testing.T) {
	own, rest := rules.Split(map[string]string{"gamma": "2", "unused": "0.5"})
	if !maps.Equal(own, map[string]string{"unused": "0.5"}) || !maps.Equal(rest, map[string]string{"gamma": "2"}) {
		t.Errorf("%v, %v", own, rest)
	}
}

func TestRulesThatCannotBe(t *testing.T) {
	for _, c := range []struct{ name, value, says string }{
		{"unused", "1.1", "from 0 to 1"},
		{"unused", "-1", "from 0 to 1"},
		{"unused", "none", "from 0 to 1"},
		{"penalty_cap", "x", "or none"},
		{"penalty_cap", "0.1234567", "six decimals"},
		{"owner_floor", "low", "amount"},
		{"endings", "other", "used, papers"},
		{"quote_hold", "perhaps", "yes, no"},
		{"nothing", "1", `there is no "nothing"`},
	} {
		_, err := rules.Live().With(map[string]string{c.name: c.value})
		if !errors.Is(err, rules.ErrSetting) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s=%s: %v, want %q", c.name, c.value, err, c.says)
		}
	}
}

func TestParts(t *testing.T) {
	if got, bound := (rules.Whole / 4).Of(10); got != 2.5 || !bound {
		t.Errorf("a quarter of 10: %v, %v", got, bound)
	}
	if _, bound := rules.None.Of(10); bound {
		t.Error("none is a bound")
	}
	if n, bound := (16 * rules.Whole).Count(); n != 16 || !bound {
		t.Errorf("16: %d, %v", n, bound)
	}
}

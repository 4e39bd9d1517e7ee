package controller_test

import (
	"testing"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
)

// What an owner does not say of the rules of the market is set as the controller was
// told to, in the first epoch and in those that follow; what he says counts. Without
// a word of anybody the rules are those of the papers.
func TestWhatIsUnsaidIsSet(t *testing.T) {
	f := open(t, func(c *controller.Config) {
		c.Unsaid = epoch.LiveSettings()
		c.Open.Settings = map[string]string{"unused": "0.5"}
	})
	f.do(trade.Command{By: owner, Epoch: &trade.Epoch{Policy: "libra-plus", Settings: map[string]string{"penalty_cap": "2"}}}, "")
	first, second := rules.Live(), rules.Live()
	first.Unused, second.PenaltyCap = rules.Whole/2, 2*rules.Whole
	epochs, err := f.Epochs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []rules.Rules{first, second} {
		if got := epochs[i].Rules(); got != want {
			t.Errorf("epoch %d: %+v, want %+v", i, got, want)
		}
		per := ""
		for _, s := range epochs[i].Settings {
			if s.Name == "per" {
				per = s.Value
			}
		}
		if per != "processor" {
			t.Errorf("epoch %d: per %q", i, per)
		}
	}
	papers, err := open(t, nil).Epochs(t.Context())
	if err != nil || papers[0].Rules() != rules.Papers() {
		t.Errorf("without a word: %+v, %v", papers, err)
	}
}

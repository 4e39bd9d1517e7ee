package broker_test

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// A broker has its numbers before anybody has asked it for anything: what is not there
// cannot be watched.
func TestAnIdleBrokerHasItsNumbers(t *testing.T) {
	f := three(t).start()
	m, err := f.broker.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`jobs{state="` + string(v1.Running) + `"}`, `broker_cluster_up{cluster="fast"}`, `broker_won_total{cluster="fast"}`} {
		if _, there := m[name]; !there {
			t.Errorf("%s is not in %v", name, m)
		}
	}
}

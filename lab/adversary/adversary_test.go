package adversary

import (
	"testing"
)

func TestNoStrategyEarns(t *testing.T) {
	for _, s := range Strategies() {
		t.Run(s.Name, func(t *testing.T) {
			n := 0
			for seed := range uint64(10) {
				r := Try(seed, &s)
				if why := r.Failed(); why != "" {
					if n == 0 {
						t.Errorf("seed %d: %s", seed, why)
					}
					n++
				}
			}
			if n > 0 {
				t.Errorf("%d of 10", n)
			}
		})
	}
}

package limit

import "testing"

func TestLaunchersOfMPI(t *testing.T) {
	for config, want := range map[string]int{
		"":                                  0,
		"SLURM_VERSION           = 22.05.8": 0,
		"SLURM_VERSION           = 24.11.5": 6,
		"SLURM_VERSION = 23.11.1\nMpiParams = ports=1-2,disable_slurm_hydra_bootstrap": 2,
	} {
		if got := Read(Said{Config: config}).Launchers; len(got) != want {
			t.Errorf("%q: %q, want %d", config, got, want)
		}
	}
}

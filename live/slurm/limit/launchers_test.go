package limit

import "testing"

func TestLaunchersOfMPI(t *testing.T) {
	for config, want := range map[string]int{
		"":                                  0,
		"SLURM_VERSION           = 22.05.8": 0,
		"SLURM_VERSION           = 24.11.5": 6,
		"SLURM_VERSION = 23.11.1\nMpiParams = ports=1-2,disable_slurm_hydra_bootstrap": 2,
	} {
		site := Read(Said{Config: config})
		if got := site.Launchers; len(got) != want || site.PerTask != (want == 6) {
			t.Errorf("%q: %q, want %d; processors of a task too: %v", config, got, want, site.PerTask)
		}
	}
}

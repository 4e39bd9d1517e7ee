package limit

import (
	"strings"
)

// launchers is what sbatch tells a job, from 23.11 on, so that launchers of MPI (mpirun, mpiexec)
// start their processes by Slurm; those of Hydra unless the site will not have it.
func launchers(config string) []string {
	if word(config, "SLURM_VERSION") < "23.11" { // a year and a month, of two digits each
		return nil
	}
	told := []string{"OMPI_MCA_plm_slurm_args=--external-launcher", "PRTE_MCA_plm_slurm_args=--external-launcher"}
	if !strings.Contains(word(config, "MpiParams"), "disable_slurm_hydra_bootstrap") {
		told = append(told, "HYDRA_BOOTSTRAP=slurm", "HYDRA_LAUNCHER_EXTRA_ARGS=--external-launcher",
			"I_MPI_HYDRA_BOOTSTRAP=slurm", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS=--external-launcher")
	}
	return told
}

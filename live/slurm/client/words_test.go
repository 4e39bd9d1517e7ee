package client

import "testing"

// Why Slurm keeps a job waiting: every word of 22.05 and 24.11 for a limit of somebody's is one.
func TestReasonsThatAreLimits(t *testing.T) {
	for reason, want := range map[string]bool{
		"AssocMaxJobsLimit": true, "QOSMaxCpuPerUserLimit": true, "QOSGrpBilling": true, "MaxJobsPerAccount": true, "MaxCpuPerAccount": true,
		"MaxCpuRunMinsPerUser": true, "MaxNodeRunMinsPerAccount": true, "MaxMemoryRunMinsPerAccount": true, "MaxLicensePerAccount": true, "MaxMemPerLimit": true, "PartitionTimeLimit": true,
		"Resources": false, "Priority": false, "Licenses": false, "JobHoldMaxRequeue": false, "JobHeldUser": false, "None": false, "": false,
	} {
		if got := (Job{State: Pending, Reason: reason}).Limited(); got != want {
			t.Errorf("%s: %v, want %v", reason, got, want)
		}
	}
	if (Job{State: Running, Reason: "AssocMaxJobsLimit"}).Limited() {
		t.Error("who runs is kept waiting")
	}
}

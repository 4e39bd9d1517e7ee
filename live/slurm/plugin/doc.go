// Package plugin holds what Libra puts into Slurm: a SPANK plugin in C that moves the
// tasks of a job into the control group that the agent made for it, and a
// job_submit.lua that is the only door to Libra's partitions.
//
// It hands both out as text, with the settings of a site filled in, and makes the
// seals by which the door knows a job that came through Libra. It compiles nothing,
// installs nothing and speaks to nobody. Read source/job_submit.lua first: what the
// door lets through, and why a user cannot get past it, is written there.
package plugin

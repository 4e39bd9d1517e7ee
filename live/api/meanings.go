package api

import "strings"

// meanings say what the numbers of a market, of Slurm behind it and of a broker are; they
// are also in docs/operations.md.
var meanings = map[string]string{
	"append_failures_total":   "Writes to the store that failed: what was asked then was not acknowledged.",
	"append_seconds_last":     "How long the last write to the store took.",
	"append_seconds_max":      "How long the slowest write to the store took since the start.",
	"appends_total":           "Writes to the store since the start, each of one command or of many.",
	"clock_ahead_seconds":     "By how much the market's time is ahead of the time of day.",
	"clock_steps_total":       "How often the time of day was set since the start.",
	"commands_total":          "Commands carried out since the start: submissions, reports, transfers and the like.",
	"inbox_depth":             "Calls that wait to be carried out.",
	"jobs":                    "Jobs by state: of a market those under way, of a broker all.",
	"nodes_refusing":          "Nodes that do not obey this market, because they follow one on a store that came after.",
	"lead_term":               "The number of this controller's lead; it grows with every leader.",
	"log_entries_archived":    "The last entry of the log that is in an archive file.",
	"log_entries_total":       "The last entry of the log.",
	"owner_balance_units":     "What the owner's account has, in units of money.",
	"processors":              "Processors of all nodes that are not retired.",
	"processors_up":           "Of those, the ones whose nodes answer.",
	"promises_due_total":      "Firm promises that came due.",
	"promises_kept_total":     "Of those, the ones that were kept.",
	"queries_total":           "Questions answered since the start.",
	"share_given":             "The part of the processors that are up which jobs have, from 0 to 1.",
	"snapshots_written_total": "Snapshots written since the start.",

	"archive_failing":             "1 while old parts of the log cannot be moved into files.",
	"archive_failures_total":      "How often that failed since the start.",
	"archive_files_written_total": "Archive files written since the start.",

	"slurm_answers":         "1 if Slurm has answered.",
	"slurm_listing_seconds": "How long the last listing of Slurm's jobs took.",
	"slurm_listings_total":  "Listings of Slurm's jobs since the start.",
	"slurm_runs":            "Runs that Slurm has of the market.",
	"slurm_submitted_total": "Jobs handed to Slurm since the start.",

	"broker_answered_total": "Questions of a broker that a cluster answered in time.",
	"broker_asked_total":    "Questions that a cluster was asked.",
	"broker_away_total":     "Questions to which a cluster could not be reached.",
	"broker_cluster_up":     "1 while a cluster answers.",
	"broker_kept_total":     "Promises that a cluster kept.",
	"broker_lied_total":     "Times that a cluster did not do what it had said.",
	"broker_missed_total":   "Promises that a cluster broke.",
	"broker_refused_total":  "Jobs that a cluster refused to quote or to take.",
	"broker_slow_total":     "Questions that a cluster answered too late.",
	"broker_won_total":      "Jobs that a cluster got.",
}

// meaning is what a number is; one that nobody has explained says its name.
func meaning(name string) string {
	if is, known := meanings[name]; known {
		return is
	}
	return "A number of the market: " + strings.ReplaceAll(name, "_", " ") + "."
}

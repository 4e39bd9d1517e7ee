// Package wish is what a user wants of several clusters that would take a job, and
// which of their bids that makes the best: the broker's rule, live and simulated
// (004, figure 1; 003 for the gain).
package wish

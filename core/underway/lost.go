package underway

import "github.com/libra-market/libra/core/roster"

// ForGood is why a job that has lost a node is not begun again; empty: it is. Where a reservation
// is over it would wait for nodes that nobody gives it.
func ForGood(j *Job, nodes []*roster.Node, what string) string {
	switch in := j.Request.Reservation; {
	case j.Request.NoRestart:
		return what + ", and it was not to be restarted"
	case in != "" && !roster.SetAside(nodes, in):
		return what + ", and reservation " + in + " is over, or has no nodes any more: hand it in again, without it or in another"
	}
	return ""
}

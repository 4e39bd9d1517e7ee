package web

import "github.com/libra-market/libra/client/v1"

// later reports whether a job is not to begin as soon as it is handed in: nothing is promised
// before, and what it costs is said then.
func later(r *v1.Request) bool { return r.BeginMS > 0 || r.Hold }

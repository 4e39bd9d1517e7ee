package archive

import (
	"encoding/json"

	"github.com/libra-market/libra/live/store"
)

// spoken is what an entry speaks of, as far as it matters here: which jobs and
// transactions no later entry will change, and whose program it holds. Entries of
// v0.1.0 say none of it, and leave nothing but themselves.
type spoken struct {
	Steps []struct {
		In []struct {
			Kind string `json:"kind"`
			Job  int64  `json:"job"`
		} `json:"in"`
	} `json:"steps"`
	Facts struct {
		Jobs []struct {
			ID      int64           `json:"id"`
			Request json.RawMessage `json:"request"`
		} `json:"jobs"`
		Gone []int64 `json:"gone"`
		Txs  []struct {
			Seq int64 `json:"seq"`
		} `json:"txs"`
	} `json:"facts"`
}

// Moved is what stays of the program of a job that is in an entry of the log. It is a
// spec as the store has it.
type Moved struct {
	Entry int64 `json:"archived"`
}

// note adds what an entry speaks of to what is shed with it.
func note(s *store.Shed, e *store.Entry) {
	s.UpTo = e.Seq
	var said spoken
	if json.Unmarshal(e.Body, &said) != nil {
		return // who wrote it did not write for us: it leaves alone
	}
	for _, step := range said.Steps {
		for _, in := range step.In {
			if in.Kind == "submitted" {
				s.Jobs = append(s.Jobs, in.Job)
			}
		}
	}
	s.Jobs = append(s.Jobs, said.Facts.Gone...)
	for _, tx := range said.Facts.Txs {
		s.Txs = append(s.Txs, tx.Seq)
	}
	for _, j := range said.Facts.Jobs {
		if !worth(j.Request) {
			continue
		}
		if is, err := json.Marshal(Moved{Entry: e.Seq}); err == nil {
			s.Specs = append(s.Specs, store.Moved{Job: j.ID, Was: j.Request, Is: is})
		}
	}
}

// smallRequest is what a request has in bytes that is not worth to be looked up in a
// file.
const smallRequest = 256

// worth reports whether a request may have a spec of its own in the store. In all facts
// of a job but the first it is empty.
func worth(request json.RawMessage) bool { return len(request) > smallRequest }

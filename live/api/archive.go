package api

import (
	"math"
	"net/http"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

func listArchives(c *call) error {
	all, err := c.h.records.Archives(c.r.Context())
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, &all)
}

// archiveWait is how long it may take to move a file.
const archiveWait = 10 * time.Minute

func moveOld(c *call) error {
	var ask v1.ArchiveRequest
	if err := c.decode(&ask); err != nil {
		return err
	}
	var keep *time.Duration
	if ask.Keep != nil {
		if *ask.Keep < 0 || *ask.Keep > math.MaxInt64/int64(time.Millisecond) {
			return &trade.FieldError{Field: "keep_ms", Want: "0 or more milliseconds, of at most 292 years"}
		}
		long := time.Duration(*ask.Keep) * time.Millisecond
		keep = &long
	}
	c.takesLong(archiveWait)
	step, err := c.h.records.MoveOld(c.r.Context(), keep)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, &step)
}

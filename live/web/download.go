package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/libra-market/libra/core/trade"
)

// downloadPiece is as much as a node sends at a time.
const downloadPiece = 1 << 20

// download sends all that a job, or an element of it, has written so far, as a file. What
// fails on the way cuts the answer, so that a part does not look like the whole.
func (c *call) download(id int64, rank int, element *int, stderr bool) error {
	rc := http.NewResponseController(c.w)
	for offset := int64(0); ; {
		c.takesLong(2 * tailWait)
		ctx, cancel := context.WithTimeout(c.r.Context(), tailWait)
		chunk, err := c.h.market.Tail(ctx, id, rank, element, stderr, offset, downloadPiece)
		cancel()
		switch {
		case errors.Is(err, trade.ErrUnknown) || err == nil && chunk.Error != "":
			return errNotFound
		case err != nil:
			return err
		}
		if c.status == 0 {
			name := "job-" + strconv.FormatInt(id, 10)
			if element != nil {
				name += "-" + strconv.Itoa(*element)
			}
			kind := "out"
			if stderr {
				kind = "err"
			}
			header := c.w.Header()
			header.Set("Content-Type", "application/octet-stream")
			header.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.%s"`, name, kind))
			c.status = http.StatusOK
			c.w.WriteHeader(http.StatusOK)
		}
		if _, err := c.w.Write(chunk.Data); err != nil {
			return err
		}
		_ = rc.Flush() // a writer that cannot has sent it already
		offset += int64(len(chunk.Data))
		if len(chunk.Data) == 0 || offset >= chunk.Size {
			return nil
		}
	}
}

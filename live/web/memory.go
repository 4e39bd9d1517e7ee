package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/libra-market/libra/live/store"
)

// Memory keeps what outlives the server; a [store.Notes] does.
type Memory interface {
	Note(ctx context.Context, kind, key string) (store.Note, bool, error)
	PutNotes(ctx context.Context, notes []store.Note) error
}

const (
	memoryKind  = "page"
	historyKey  = "history"
	rememberGap = 5 * time.Minute  // between two times that the history is written down
	lastWord    = time.Second      // for writing it down at the end
	historyKept = 24 * time.Hour   // how far it goes back
	tooEarly    = 10 * time.Second // by how much what was written down may be ahead: clocks are set
)

// keptSample is a sample as it is written down: when, the three prices, and the two parts
// of the processors.
type keptSample [6]float64

// written is the history of a day, coarsely.
func (h *history) written(now int64) ([]byte, error) {
	list := h.last(now, historyKept)
	kept := make([]keptSample, len(list))
	for i := range list {
		s := &list[i]
		kept[i] = keptSample{float64(s.at), float64(s.urgent), float64(s.usual), float64(s.patient), brief(s.used), brief(s.kept)}
	}
	return json.Marshal(kept)
}

func brief(part float64) float64 { return math.Round(finite(part)*1e4) / 1e4 }

// read takes in what was written down, as far as it can have been.
func (h *history) read(text []byte, now int64) error {
	var kept []keptSample
	if err := json.Unmarshal(text, &kept); err != nil {
		return fmt.Errorf("history of the page: %w", err)
	}
	before := int64(0)
	for _, k := range kept {
		at := int64(k[0])
		if at <= before || at > now+tooEarly.Microseconds() || at < now-historyKept.Microseconds() {
			continue
		}
		before = at
		h.add(sample{at: at, urgent: int64(k[1]), usual: int64(k[2]), patient: int64(k[3]), used: k[4], kept: k[5]})
	}
	return nil
}

// recall takes in the history of before.
func (h *Handler) recall(ctx context.Context) {
	if h.options.Memory == nil {
		return
	}
	note, found, err := h.options.Memory.Note(ctx, memoryKind, historyKey)
	if err == nil && found {
		err = h.past.read(note.Body, h.now().UnixMicro())
	}
	if err != nil && ctx.Err() == nil {
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "the history of the page begins anew", slog.String("error", err.Error()))
	}
}

// remember writes the history down.
func (h *Handler) remember(ctx context.Context) {
	if h.options.Memory == nil {
		return
	}
	text, err := h.past.written(h.now().UnixMicro())
	if err == nil {
		err = h.options.Memory.PutNotes(ctx, []store.Note{{Kind: memoryKind, Key: historyKey, Body: text}})
	}
	if err != nil { // it is drawn, not owed
		h.options.Log.LogAttrs(ctx, slog.LevelDebug, "the history of the page was not written down", slog.String("error", err.Error()))
	}
}

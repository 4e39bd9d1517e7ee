package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/libra-market/libra/core/task"
)

// A shepherd writes down which element of an array begins, and how each ended, for those
// who look meanwhile. It is not made sure that it is on disk: how they ended is once more
// in the status, which is.

// lane is how far a task is with its elements, as its agent has read it.
type lane struct {
	read   int64 // bytes of the file
	broken bool  // the rest makes no sense: a disk was full
	ended  []task.Element
	begun  *task.Element // the one that runs
	told   int           // of those that have ended, what the controller knows
}

// lanesAtOnce is how many elements one report tells of: the next one goes on.
const lanesAtOnce = 2000

// mostTrouble is how much is told of why an element did not begin while others run.
const mostTrouble = 200

// tell writes down that an element begins, or how it ended.
func (s *shepherd) tell(e task.Element) {
	line, err := json.Marshal(e)
	if err == nil {
		err = appendLine(s.Folder.elements(), line)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err) // it will be said at the end
	}
}

func appendLine(path string, line []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	if bad := file.Close(); err == nil {
		err = bad
	}
	return err
}

// readLane takes in what the shepherd has written since it was last looked at.
func (r *runner) readLane() {
	if r.phase != tended || !r.isArray() || r.lane.broken {
		return
	}
	file, err := os.Open(r.folder.elements())
	if err != nil {
		return // it has not begun, or its shepherd is of an older version
	}
	defer func() { _ = file.Close() }() // it was only read
	if _, err = file.Seek(r.lane.read, io.SeekStart); err != nil {
		return
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lane.take(text)
}

func (r *runner) isArray() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spec.Len() > 0
}

// take reads the lines that are whole.
func (l *lane) take(text []byte) {
	for {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return
		}
		var e task.Element
		if json.Unmarshal(line, &e) != nil {
			l.broken = true
			return
		}
		l.read += int64(len(line)) + 1
		text = rest
		if len(e.Error) > mostTrouble {
			e.Error = string(bytes.ToValidUTF8([]byte(e.Error[:mostTrouble]), nil))
		}
		if e.EndedUS == 0 {
			l.begun = &e
			continue
		}
		l.ended, l.begun = append(l.ended, e), nil
	}
}

// laneNews is what there is to say of an array that runs, with at most so many elements;
// nil: nothing.
func (r *runner) laneNews(room int) *task.Lane {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &r.lane
	if r.status.State.Final() || len(l.ended) == 0 && l.begun == nil {
		return nil
	}
	upTo := min(len(l.ended), l.told+max(0, room))
	news := &task.Lane{Key: r.key, After: l.told, Ended: slices.Clone(l.ended[l.told:upTo])}
	if upTo == len(l.ended) && l.begun != nil {
		begun := *l.begun
		news.Begun = &begun
	}
	return news
}

// laneTold notes how many of the elements that have ended the controller knows.
func (r *runner) laneTold(ended int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lane.told = min(max(0, ended), len(r.lane.ended))
}

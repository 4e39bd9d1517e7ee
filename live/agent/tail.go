package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/task"
)

// tailMost is the most that one answer holds.
const tailMost = 1 << 20

// Answers are tried so often; then the controller has to ask again.
const tailTries = 3

// answer sends the pieces of output that the controller asks for, each once:
// what is wanted says the same until it has been answered.
func (a *Agent) answer(ctx context.Context, tails []task.Tail) {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := make(map[string]bool, len(tails))
	for _, tail := range tails {
		if !a.asked[tail.ID] && !asked[tail.ID] {
			a.running.Go(func() { a.answerOne(ctx, tail) })
		}
		asked[tail.ID] = true
	}
	a.asked = asked
}

func (a *Agent) answerOne(ctx context.Context, tail task.Tail) {
	select {
	case a.readers <- struct{}{}:
		defer func() { <-a.readers }()
	case <-ctx.Done():
		return
	}
	chunk, err := readTail(tail, a.config.SystemUsers)
	if err != nil {
		chunk = task.Chunk{Error: err.Error()}
	}
	wait := &backoff{jitter: a.jitter(tail.ID)}
	for range tailTries {
		call, cancel := context.WithTimeout(ctx, callTime)
		err = a.controller.Tail(call, tail.ID, chunk)
		cancel()
		if err == nil {
			return
		}
		if !wait.wait(ctx) {
			return
		}
	}
	a.log.Warn("output not sent", "task", tail.Key, "error", err)
	a.mu.Lock()
	delete(a.asked, tail.ID)
	a.mu.Unlock()
}

// readTail reads a piece of a task's output with the rights of its user.
func readTail(tail task.Tail, named []string) (task.Chunk, error) {
	acc, err := lookupAccount(tail.User, named)
	if err != nil {
		return task.Chunk{}, err
	}
	if !filepath.IsAbs(tail.Dir) || tail.File == "" {
		return task.Chunk{}, errors.New("no such output")
	}
	path := expand(tail.File, tail.Key, tail.Element)
	if !filepath.IsAbs(path) {
		path = filepath.Join(tail.Dir, path)
	}
	file, err := openAs(acc, path)
	if err != nil {
		return task.Chunk{}, err
	}
	chunk, err := piece(file, tail.Offset, tail.Limit)
	return chunk, errors.Join(err, file.Close())
}

// openAs opens a regular file for reading as another user would. The thread
// that takes the user's identity for it is never used for anything else: it ends
// with its goroutine, which does not unlock it.
func openAs(acc account, path string) (*os.File, error) {
	if os.Geteuid() != 0 {
		return openRegular(path)
	}
	type result struct {
		file *os.File
		err  error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread()
		err := acc.see()
		var file *os.File
		if err == nil {
			file, err = openRegular(path)
		}
		done <- result{file, err}
	}()
	r := <-done
	return r.file, r.err
}

func openRegular(path string) (*os.File, error) {
	fd, err := openFile(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	file := os.NewFile(uintptr(fd), path)
	stat, err := file.Stat()
	if err == nil && !stat.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// piece reads from offset on; a negative one counts from the end.
func piece(file *os.File, offset, limit int64) (task.Chunk, error) {
	stat, err := file.Stat()
	if err != nil {
		return task.Chunk{}, err
	}
	size := stat.Size()
	if offset < 0 {
		offset = max(size+offset, 0)
	}
	limit = min(max(limit, 0), tailMost, max(size-offset, 0))
	data := make([]byte, limit)
	n, err := file.ReadAt(data, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return task.Chunk{}, err
	}
	return task.Chunk{Offset: offset, Size: size, Data: data[:n]}, nil
}

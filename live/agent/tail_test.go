package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
)

func TestTails(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	who, other := n.user, bob(t)
	write := func(name, text string, mode os.FileMode, owner account) {
		t.Helper()
		path := filepath.Join(n.dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, owner.UID, owner.GID); err != nil {
			t.Fatal(err)
		}
	}
	write("out-4-2", "0123456789", 0o600, who)
	write("out-4-2-7", "element", 0o600, who)
	write("private", "of bob", 0o600, other)
	write("root", "of root", 0o600, account{})
	write("large", strings.Repeat("x", 3<<20), 0o600, who)
	if err := os.Symlink("out-4-2", filepath.Join(n.dir, "link")); err != nil {
		t.Fatal(err)
	}
	seven := 7
	tests := map[string]struct {
		tail   task.Tail
		offset int64
		data   string
		fault  string
	}{
		"all":         {task.Tail{File: "out-%j-%r", Limit: 100}, 0, "0123456789", ""},
		"middle":      {task.Tail{File: "out-%j-%r", Offset: 3, Limit: 4}, 3, "3456", ""},
		"end":         {task.Tail{File: "out-%j-%r", Offset: -4, Limit: 100}, 6, "6789", ""},
		"before":      {task.Tail{File: "out-%j-%r", Offset: -40, Limit: 2}, 0, "01", ""},
		"beyond":      {task.Tail{File: "out-%j-%r", Offset: 40, Limit: 2}, 40, "", ""},
		"element":     {task.Tail{File: "out-%j-%r-%a", Limit: 100, Element: &seven}, 0, "element", ""},
		"absolute":    {task.Tail{File: n.dir + "/out-4-2", Limit: 1}, 0, "0", ""},
		"no limit":    {task.Tail{File: "out-%j-%r"}, 0, "", ""},
		"too much":    {task.Tail{File: "large", Limit: 1 << 40}, 0, strings.Repeat("x", 1<<20), ""},
		"another's":   {task.Tail{File: "private", Limit: 10}, 0, "", "permission denied"},
		"the other":   {task.Tail{File: "out-%j-%r", Limit: 10, User: other.Name}, 0, "", "permission denied"},
		"root's":      {task.Tail{File: "root", Limit: 10}, 0, "", "permission denied"},
		"link":        {task.Tail{File: "link", Limit: 10}, 0, "", "symbolic links"},
		"directory":   {task.Tail{File: ".", Limit: 10}, 0, "", "not a regular file"},
		"device":      {task.Tail{File: "/dev/zero", Limit: 10}, 0, "", "not a regular file"},
		"nothing":     {task.Tail{File: "none", Limit: 10}, 0, "", "no such file"},
		"no user":     {task.Tail{File: "out-4-2", Limit: 10, User: "libra-nobody-at-all"}, 0, "", "no user"},
		"no output":   {task.Tail{Limit: 10}, 0, "", "no such output"},
		"not in home": {task.Tail{File: "out-4-2", Dir: "relative", Limit: 10}, 0, "", "no such output"},
	}
	n.start()
	n.change(func(d *task.Desired) {
		for id, test := range tests {
			tail := test.tail
			tail.ID, tail.Key = id, task.Key{Job: 4, Rank: 2}
			if tail.User == "" {
				tail.User = who.Name
			}
			if tail.Dir == "" {
				tail.Dir = n.dir
			}
			d.Tails = append(d.Tails, tail)
		}
	})
	n.await(t, "all answers", func() bool { return len(n.chunks) == len(tests) })
	for id, test := range tests {
		got := n.chunks[id]
		if !strings.Contains(got.Error, test.fault) || (test.fault == "") != (got.Error == "") {
			t.Errorf("%s: error %q, want %q", id, got.Error, test.fault)
		}
		if got.Offset != test.offset || string(got.Data) != test.data {
			t.Errorf("%s: %d bytes at %d, want %d at %d", id, len(got.Data), got.Offset, len(test.data), test.offset)
		}
	}
	// The threads that read are not used for anything else.
	if err := os.WriteFile(filepath.Join(n.dir, "by-root"), nil, 0o600); err != nil || owner(t, filepath.Join(n.dir, "by-root")) != 0 {
		t.Errorf("this process is not itself any more: %v", err)
	}
}

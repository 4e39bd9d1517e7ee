package config

import (
	"path/filepath"
	"strings"
	"time"
)

// Archive is what becomes of the log when it is old.
type Archive struct {
	Keep Duration `yaml:"keep"` // how long entries stay in the store; 0: for ever
	Dir  string   `yaml:"dir"`  // where they go then; default: beside the file of SQLite, which with .archive after it is its name; with PostgreSQL nowhere
}

// leastKept is how long what happened stays in the store at least.
const leastKept = Duration(time.Hour)

func (a *Archive) wrong(m *mistakes) {
	m.When(a.Keep < 0 || a.Keep > 0 && a.Keep < leastKept, "want 0 (for ever), or at least 1h, such as 90d", "archive.keep")
	m.When(a.Dir != "" && !filepath.IsAbs(a.Dir), "want an absolute path", "archive.dir")
}

// ArchiveDir is where the archives of a store are: in the directory that is named, or
// beside the file. A database on a server has no place of its own: every controller
// has to see the same files. "": nowhere.
func ArchiveDir(named, store string) string {
	if named != "" || strings.HasPrefix(store, "postgres:") || strings.HasPrefix(store, "postgresql:") {
		return named
	}
	path := strings.TrimPrefix(strings.TrimPrefix(store, "sqlite:"), "//")
	return path + ".archive"
}

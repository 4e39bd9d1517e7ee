package v1

// Archives says which parts of the log are in files, and how long what is new stays in
// the store.
type Archives struct {
	Dir      string        `json:"dir"`      // on the machine of the market
	Keep     int64         `json:"keep_ms"`  // 0: for ever
	Archived int64         `json:"archived"` // the last entry that is in a file
	Files    []ArchiveFile `json:"files"`    // oldest first
}

// ArchiveFile is a file with entries of the log.
type ArchiveFile struct {
	File    string `json:"file"`
	First   int64  `json:"first"` // entries
	Last    int64  `json:"last"`
	FromUS  int64  `json:"from_us"` // their times
	ToUS    int64  `json:"to_us"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	Missing bool   `json:"missing,omitempty"` // it is not where the market looks for it
}

// ArchiveRequest asks to move what is old into files.
type ArchiveRequest struct {
	Keep *int64 `json:"keep_ms,omitempty"` // how old it must be; absent: as the market is set
}

// ArchiveStep is what one call has moved: a file, at most.
type ArchiveStep struct {
	File    *ArchiveFile `json:"file,omitempty"` // absent: nothing was old enough
	Removed int64        `json:"removed"`        // entries that left the store
	More    bool         `json:"more"`           // ask again
}

package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
)

// BackupReader reads a backup from its beginning to its end, once.
type BackupReader struct {
	About Backup

	packed *gzip.Reader
	lines  *bufio.Reader
	sum    hash.Hash
	rows   int64 // read so far
}

// ReadBackup reads what a backup is. It refuses what is none with [ErrBadBackup]
// and what this program cannot read with a [*Newer].
func ReadBackup(from io.Reader) (*BackupReader, error) {
	packed, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadBackup, err)
	}
	r := &BackupReader{packed: packed, lines: bufio.NewReaderSize(packed, 1<<16), sum: sha256.New()}
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(line, &r.About) != nil || r.About.Libra != backupMagic {
		return nil, fmt.Errorf("%w: it does not begin like one", ErrBadBackup)
	}
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	knows := int64(len(steps))
	if r.About.File != backupForm {
		return nil, fmt.Errorf("%w: its file has form %d, this program reads %d: upgrade libra", ErrNewer, r.About.File, backupForm)
	}
	if r.About.Form > knows {
		return nil, &Newer{What: "backup", Program: r.About.Program, Form: r.About.Form, Knows: knows}
	}
	return r, nil
}

// line is the next line, which must be there.
func (r *BackupReader) line() ([]byte, error) {
	line, err := r.lines.ReadBytes('\n')
	switch {
	case err == nil:
		r.sum.Write(line)
		return bytes.TrimSuffix(line, []byte("\n")), nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: it ends in the middle", ErrBadBackup)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return nil, fmt.Errorf("%w: it is damaged: %w", ErrBadBackup, err)
	}
	return nil, fmt.Errorf("%w: %w", ErrBadBackup, err)
}

// section is the head of the next table; false at the end, if all that was said
// is true.
func (r *BackupReader) section() (section, bool, error) {
	sum := r.sum.Sum(nil)
	line, err := r.line()
	if err != nil {
		return section{}, false, err
	}
	var next section
	var end trailer
	if err := errors.Join(json.Unmarshal(line, &next), json.Unmarshal(line, &end)); err != nil {
		return section{}, false, fmt.Errorf("%w: it is damaged: %w", ErrBadBackup, err)
	}
	if !end.End {
		return next, true, nil
	}
	switch {
	case end.Sum != hex.EncodeToString(sum):
		return section{}, false, fmt.Errorf("%w: it is damaged: its checksum is another", ErrBadBackup)
	case end.Rows != r.rows || r.rows != r.About.Total():
		return section{}, false, fmt.Errorf("%w: it has %d rows and should have %d", ErrBadBackup, r.rows, r.About.Total())
	}
	if _, err := r.lines.ReadByte(); !errors.Is(err, io.EOF) { // the sum of gzip is checked here too
		return section{}, false, fmt.Errorf("%w: something follows its end", ErrBadBackup)
	}
	return section{}, false, nil
}

// row is the next row of a table with so many columns.
func (r *BackupReader) row(columns int) ([]json.RawMessage, error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	var row []json.RawMessage
	if err := json.Unmarshal(line, &row); err != nil || len(row) != columns {
		return nil, fmt.Errorf("%w: row %d is damaged", ErrBadBackup, r.rows+1)
	}
	r.rows++
	return row, nil
}

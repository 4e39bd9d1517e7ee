package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// output is a file under way. Nobody sees it under its name before commit has
// written all of it, so that an interrupted command leaves no half of a file.
// A name that ends in .gz is compressed.
type output struct {
	*bufio.Writer
	zip  *gzip.Writer // nil: not compressed
	file *os.File
	path string
	temp string // "": written in place, because the path is no plain file
}

func createOutput(path string) (*output, error) {
	o := &output{path: path}
	mode := fs.FileMode(0o666)
	if about, err := os.Stat(path); err == nil {
		if about.IsDir() {
			return nil, fmt.Errorf("%s: is a directory", path)
		}
		// /dev/stdout may well be a plain file, which is not ours to replace.
		if !about.Mode().IsRegular() || strings.HasPrefix(path, "/dev/") {
			return o.open(os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0))
		}
		mode = about.Mode().Perm()
		// What a link points to is replaced, and the link stays.
		if o.path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
	}
	o.temp = filepath.Join(filepath.Dir(o.path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(o.path), rand.Uint32()))
	made, err := o.open(os.OpenFile(o.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode))
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Path = path // nobody knows the temporary name
	}
	return made, err
}

func (o *output) open(file *os.File, err error) (*output, error) {
	if err != nil {
		return nil, err
	}
	o.file = file
	var to io.Writer = file
	if strings.HasSuffix(o.path, ".gz") {
		o.zip = gzip.NewWriter(file)
		to = o.zip
	}
	o.Writer = bufio.NewWriterSize(to, 1<<16)
	return o, nil
}

// commit finishes the file and gives it its name.
func (o *output) commit() error {
	err := o.Flush()
	if o.zip != nil {
		err = errors.Join(err, o.zip.Close())
	}
	err = errors.Join(err, o.file.Close())
	if o.temp == "" {
		return err
	}
	if err == nil {
		err = os.Rename(o.temp, o.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(o.temp))
	}
	o.temp = ""
	return nil
}

// abandon removes what is there of a file that was not committed.
func (o *output) abandon() {
	if o.temp != "" {
		_ = o.file.Close() // it is thrown away
		_ = os.Remove(o.temp)
	}
}

// writeOutput has a file written: standard output for "-", else all of the file
// or none of it.
func (c *console) writeOutput(path string, write func(io.Writer) error) error {
	if path == "-" {
		buffered := bufio.NewWriterSize(unwatched(c.out), 1<<16)
		if err := write(buffered); err != nil {
			return err
		}
		return buffered.Flush()
	}
	out, err := createOutput(path)
	if err != nil {
		return err
	}
	defer out.abandon()
	if err := write(out); err != nil {
		return err
	}
	return out.commit()
}

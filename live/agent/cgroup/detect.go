package cgroup

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Mounts says where the kernel's control groups are mounted.
type Mounts struct {
	// V1 is the mount point of each controller of cgroup v1. Controllers
	// mounted together have the same.
	V1 map[string]string
	// V2 is the mount point of cgroup v2, or empty. On a hybrid host it is
	// there beside V1, without the cpu controller.
	V2 string
}

// Detect reads what /proc/self/mountinfo says and tells which kind of tree the
// host has: V2 where a cgroup2 mount offers the cpu controller, else V1 where
// that is mounted on its own, else Signals.
func Detect(mountinfo io.Reader) (kind string, m Mounts, err error) {
	m.V1 = map[string]string{}
	lines := bufio.NewScanner(mountinfo)
	for n := 1; lines.Scan(); n++ {
		point, fstype, options, ok := parseMount(lines.Text())
		if !ok {
			return "", Mounts{}, fmt.Errorf("mountinfo line %d: cannot read %q", n, lines.Text())
		}
		switch {
		case fstype == "cgroup2" && m.V2 == "":
			m.V2 = point
		case fstype == "cgroup":
			for _, controller := range options {
				if _, known := m.V1[controller]; !known {
					m.V1[controller] = point
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		return "", Mounts{}, fmt.Errorf("mountinfo: %w", err)
	}
	if m.V2 != "" {
		if offered, err := read(path.Join(m.V2, "cgroup.controllers")); err == nil && slices.Contains(strings.Fields(offered), "cpu") {
			return V2, m, nil
		}
	}
	if m.V1["cpu"] != "" {
		return V1, m, nil
	}
	return Signals, m, nil
}

// parseMount reads one line: six fields, optional ones up to a dash, then the
// type, the source and the options of the file system, which for cgroup v1 are
// the controllers.
func parseMount(line string) (point, fstype string, options []string, ok bool) {
	fields := strings.Fields(line)
	dash := slices.Index(fields, "-")
	if dash < 6 || len(fields) < dash+4 {
		return "", "", nil, false
	}
	return unescape(fields[4]), fields[dash+1], strings.Split(fields[dash+3], ","), true
}

// unescape undoes the kernel's octal form of spaces and the like.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

package cgroup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	unified := t.TempDir()
	must(t, os.WriteFile(filepath.Join(unified, "cgroup.controllers"), []byte("cpuset cpu io memory pids\n"), 0o600))
	bare := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bare, "cgroup.controllers"), []byte("\n"), 0o600))
	const other = "23 1 0:20 / /sys rw,relatime shared:7 master:1 - sysfs sysfs rw\n"
	for _, c := range []struct {
		name, mountinfo, kind, v2 string
		v1                        map[string]string
	}{
		{name: "nothing", mountinfo: other, kind: Signals},
		{name: "nothing at all", kind: Signals},
		{
			name: "unified", kind: V2, v2: unified,
			mountinfo: other + "25 23 0:22 / " + unified + " rw - cgroup2 cgroup2 rw,nsdelegate\n",
		},
		{
			name: "each on its own", kind: V1,
			mountinfo: "32 31 0:29 / /c/cpu rw,relatime - cgroup cgroup rw,cpu\n33 31 0:30 / /c/acct rw shared:9 - cgroup cgroup rw,cpuacct\n",
			v1:        map[string]string{"cpu": "/c/cpu", "cpuacct": "/c/acct"},
		},
		{
			name: "mounted together, in a container", kind: V1,
			mountinfo: "32 31 0:29 /docker/1f /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:11 - cgroup cgroup rw,cpu,cpuacct\n",
			v1:        map[string]string{"cpu": "/sys/fs/cgroup/cpu,cpuacct", "cpuacct": "/sys/fs/cgroup/cpu,cpuacct"},
		},
		{
			name: "hybrid", kind: V1, v2: bare,
			mountinfo: "32 31 0:29 / /c/cpu rw - cgroup cgroup rw,cpu\n41 31 0:38 / " + bare + " rw - cgroup2 cgroup2 rw\n",
			v1:        map[string]string{"cpu": "/c/cpu"},
		},
		{
			name: "a second mount of the same", kind: V1,
			mountinfo: "32 31 0:29 / /c/cpu rw - cgroup cgroup rw,cpu\n52 31 0:29 / /other/cpu rw - cgroup cgroup rw,cpu\n",
			v1:        map[string]string{"cpu": "/c/cpu"},
		},
		{
			name: "a space in the path", kind: V1,
			mountinfo: `32 31 0:29 / /c\040d/cpu rw - cgroup cgroup rw,cpu` + "\n",
			v1:        map[string]string{"cpu": "/c d/cpu"},
		},
	} {
		kind, m, err := Detect(strings.NewReader(c.mountinfo))
		if err != nil || kind != c.kind || m.V2 != c.v2 {
			t.Errorf("%s: %q %q %v, want %q %q", c.name, kind, m.V2, err, c.kind, c.v2)
		}
		for controller, point := range c.v1 {
			if m.V1[controller] != point {
				t.Errorf("%s: %s at %q, want %q", c.name, controller, m.V1[controller], point)
			}
		}
	}
	if _, _, err := Detect(strings.NewReader(other + "nonsense\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("nonsense: %v", err)
	}
}

func FuzzDetect(f *testing.F) {
	f.Add("32 31 0:29 / /c/cpu rw,relatime - cgroup cgroup rw,cpu\n")
	f.Add(`1 2 3:4 / /a\0b\04 rw shared:1 - cgroup2 x y` + "\n- - - - - - - - -\n")
	f.Fuzz(func(t *testing.T, text string) {
		kind, m, err := Detect(strings.NewReader(text))
		if err == nil && kind == V1 && m.V1["cpu"] == "" {
			t.Error("v1 without a cpu controller")
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	for _, name := range []string{"", "/libra", "libra/", "libra/../x", "a//b"} {
		if _, err := Open(name, Options{Kind: Signals}); err == nil {
			t.Errorf("opened %q", name)
		}
	}
	if _, err := Open("libra-test", Options{Kind: "magic"}); err == nil {
		t.Error("opened an unknown kind")
	}
}

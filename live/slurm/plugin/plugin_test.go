package plugin_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/slurm/plugin"
)

func TestDoorScript(t *testing.T) {
	plain, err := plugin.DoorScript(plugin.DoorSettings{})
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("source/job_submit.lua")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(plain, source) {
		t.Error("without wishes the door is not as it is written")
	}
	wished, err := plugin.DoorScript(plugin.DoorSettings{Partitions: []string{"a-1", "b.2"}, KeyFile: "/k/e_y", Hold: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`["a-1"] = true, ["b.2"] = true`, `KEY_FILE = "/k/e_y"`, "HOLD = true\n"} {
		if !strings.Contains(string(wished), want) {
			t.Errorf("%q is not in the door", want)
		}
	}
	for _, bad := range []plugin.DoorSettings{
		{Partitions: []string{`x"] = true } os.execute("id") --`}},
		{Partitions: []string{"a,b"}},
		{Partitions: []string{""}},
		{KeyFile: "/a b"},
		{KeyFile: "/a\nb"},
		{KeyFile: `/a\`},
	} {
		if _, err = plugin.DoorScript(bad); !errors.Is(err, plugin.ErrDoorSettings) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestKey(t *testing.T) {
	fresh := plugin.NewKey()
	if _, err := plugin.ParseKey(fresh); err != nil || len(fresh) != 33 {
		t.Errorf("a new key is %q, %v", fresh, err)
	}
	if bytes.Equal(fresh, plugin.NewKey()) {
		t.Error("two keys are the same")
	}
	const digits = "000102030405060708090a0b0c0d0e0f"
	if k, err := plugin.ParseKey([]byte(" " + digits + "\r\n")); err != nil || k[15] != 15 {
		t.Errorf("%v, %v", k, err)
	}
	for _, bad := range []string{"", "short\n", digits[1:], digits + "0", digits[:31] + "x", digits[:15] + " " + digits[16:], digits + "\n" + digits} {
		if _, err := plugin.ParseKey([]byte(bad)); !errors.Is(err, plugin.ErrKey) {
			t.Errorf("%q is a key: %v", bad, err)
		}
	}
}

func TestSeal(t *testing.T) {
	key, err := plugin.ParseKey([]byte("000102030405060708090a0b0c0d0e0f"))
	if err != nil {
		t.Fatal(err)
	}
	seals := map[string]bool{}
	for _, parts := range [][3]string{{"a", "b", "c"}, {"a", "bc", ""}, {"ab", "", "c"}, {"a", "b", "d"}, {"", "a", "b"}, {"a", "b", "c\x00"}} {
		seals[key.Seal(parts[0], parts[1], parts[2])] = true
	}
	if len(seals) != 6 {
		t.Errorf("six different jobs have %d seals", len(seals))
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for range 2 { // the second time over the first
		if err := plugin.Write(dir, plugin.DoorSettings{}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := os.ReadFile(filepath.Join(dir, plugin.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	if err = plugin.Write(dir, plugin.DoorSettings{Hold: true}); err != nil {
		t.Fatal(err)
	}
	again, err := os.ReadFile(filepath.Join(dir, plugin.KeyFile))
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("a key that may be in use was replaced: %v", err)
	}
	about, err := os.Stat(filepath.Join(dir, plugin.KeyFile))
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("the key may be read by others: %v, %v", about.Mode(), err)
	}
	source, err := os.ReadFile(filepath.Join(dir, plugin.SpankFile))
	if err != nil || !bytes.Equal(source, plugin.Spank) {
		t.Errorf("the source of the plugin is not what it is: %v", err)
	}
	if door, err := os.ReadFile(filepath.Join(dir, plugin.DoorFile)); err != nil || !bytes.Contains(door, []byte("HOLD = true")) {
		t.Errorf("the door is not what was wished for: %v", err)
	}
}

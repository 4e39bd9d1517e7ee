package secrets_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/secrets"
)

func TestFilesThatOthersCanRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if _, err := secrets.Token(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte(" libra_x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o700: true, 0o640: false, 0o604: false, 0o620: false, 0o644: false, 0o601: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		token, err := secrets.Token(path)
		checked := secrets.Check(path)
		if good {
			if err != nil || token != "libra_x" || checked != nil {
				t.Errorf("%04o: %q, %v, %v", mode, token, err, checked)
			}
			continue
		}
		if !errors.Is(err, secrets.ErrOpen) || token != "" || !strings.Contains(err.Error(), "chmod 600 "+path) || !errors.Is(checked, secrets.ErrOpen) {
			t.Errorf("%04o: %q, %v, %v", mode, token, err, checked)
		}
	}
}

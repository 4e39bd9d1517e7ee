package client

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/secrets"
	"github.com/libra-market/libra/live/slurm/plugin"
)

// The key of the door lets jobs past it: a file that others can read is refused like
// any other with a secret.
func TestTheKeyOfTheDoorIsASecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "door.key")
	if err := os.WriteFile(file, plugin.NewKey(), 0o600); err != nil {
		t.Fatal(err)
	}
	seal, err := sealer(file)
	if err != nil || !strings.HasPrefix(seal(Submission{User: "alice"}), plugin.SealVariable+"=") {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o644} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := sealer(file); !errors.Is(err, secrets.ErrOpen) {
			t.Errorf("%04o: %v", mode, err)
		}
	}
}

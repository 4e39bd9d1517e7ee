package archive_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/libra-market/libra/live/store/storetest"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVar) != "" {
		if err := moveAndDie(os.Args[1], os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	storetest.Main(m)
}

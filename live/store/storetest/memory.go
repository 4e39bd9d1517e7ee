package storetest

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/libra-market/libra/live/store"
)

// memories are the databases in memory that tests have made, by their names.
var memories sync.Map

// made counts them.
var made atomic.Int64

// scheme is what the address of a database in memory begins with, for tests.
const scheme = "memory:"

// Memory is a database in memory, and goes with the test.
func Memory(tb testing.TB) string {
	address := scheme + tb.Name() + "/" + strconv.FormatInt(made.Add(1), 10)
	memories.Store(address, store.NewMemory(address))
	tb.Cleanup(func() { memories.Delete(address) })
	return address
}

// openAt opens a store wherever it is.
func openAt(ctx context.Context, address string) (store.Store, error) {
	if strings.HasPrefix(address, scheme) {
		if m, known := memories.Load(address); known {
			return m.(*store.Memory).Open(), nil
		}
	}
	return store.Open(ctx, address)
}

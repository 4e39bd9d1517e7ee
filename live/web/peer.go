package web

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// socketTable is where the kernel says whose each socket of this machine is, and mappedTable
// where it says so of those that could have been of IPv6.
const (
	socketTable = "/proc/net/tcp"
	mappedTable = "/proc/net/tcp6"
	mapped      = "0000000000000000FFFF0000" // what such a one has before its address
)

// overflow is the file with the number that users of the system go by in a container that
// does not know them: it is nobody's own.
const overflow = "/proc/sys/kernel/overflowuid"

// passedOn are headers with which a proxy says that it is one.
var passedOn = []string{"Via", "Forwarded", "X-Forwarded-For", "X-Real-Ip", "Proxy-Connection"}

// usual is where everybody looks for what this machine serves.
var usual = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// peerOf is the user of the system whose browser has asked, on this machine. From elsewhere,
// and where the kernel does not say, nobody knows. Nor is anything known of who comes to the
// usual address, or asks for another than the one that was reached, or through something
// that says so: a proxy or a tunnel is one user of the system for all who come through it.
func peerOf(r *http.Request) (uid int, known bool) {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return 0, false
	}
	for _, name := range passedOn {
		if r.Header.Get(name) != "" {
			return 0, false
		}
	}
	theirs, bad1 := netip.ParseAddrPort(r.RemoteAddr)
	ours, bad2 := netip.ParseAddrPort(local.String())
	if bad1 != nil || bad2 != nil || !theirs.Addr().IsLoopback() || !theirs.Addr().Is4() || !ours.Addr().Is4() || ours.Addr() == usual || r.Host != ours.String() {
		return 0, false
	}
	for table, prefix := range map[string]string{socketTable: "", mappedTable: mapped} {
		if uid, known = ownerAt(table, prefix+inTable(theirs), prefix+inTable(ours)); known {
			return uid, uid != nobody()
		}
	}
	return 0, false
}

// ownerAt looks into a table of the kernel.
func ownerAt(table, from, to string) (uid int, known bool) {
	file, err := os.Open(table)
	if err != nil {
		return 0, false
	}
	defer func() { _ = file.Close() }() // it was only read
	return ownerIn(bufio.NewScanner(file), from, to)
}

// nobody is whom the kernel shows for users that it may not name here.
func nobody() int {
	const usually = 65534
	text, err := os.ReadFile(overflow)
	if err != nil {
		return usually
	}
	uid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return usually
	}
	return uid
}

// ownerIn finds the end of a connection that is at one address and leads to another. One
// that nobody has open any more is root's to the kernel, whose ever it was.
func ownerIn(table *bufio.Scanner, from, to string) (uid int, known bool) {
	const address, other, state, owner = 1, 2, 3, 7
	const established = "01"
	for table.Scan() {
		f := strings.Fields(table.Text())
		if len(f) > owner && f[address] == from && f[other] == to {
			uid, err := strconv.Atoi(f[owner])
			return uid, err == nil && f[state] == established
		}
	}
	return 0, false
}

// inTable is an address as the kernel writes it: as the number that it is in memory.
func inTable(a netip.AddrPort) string {
	four := a.Addr().As4()
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(four[:]), a.Port())
}

package socket

import "net"

// From is the user number of who is at the other end of a connection that a
// listener of [Listen] let in, as the kernel said when they came. Of other
// connections nobody knows.
func From(conn net.Conn) (uid int, known bool) {
	g, known := conn.(interface{ from() int })
	if !known {
		return Nobody, false
	}
	return g.from(), true
}

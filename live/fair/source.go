package fair

import (
	"net"
	"net/netip"
)

// Source is where a call comes from, as far as it can be told from others: an
// address, or of IPv6 the network that one subscriber has. What a proxy says is not
// believed: anybody can say it.
func Source(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return "here" // by the socket
	}
	at, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if at = at.Unmap().WithZone(""); at.Is6() {
		if net, err := at.Prefix(64); err == nil {
			return net.String()
		}
	}
	return at.String()
}

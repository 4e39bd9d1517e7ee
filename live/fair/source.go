package fair

import (
	"net"
	"net/netip"
	"strings"
)

// Source is where a call comes from, as far as it can be told from others: an
// address, of IPv6 the network that one subscriber has, or by the socket the user whom the
// kernel names. What a proxy says is not believed: anybody can say it.
func Source(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	switch {
	case err != nil && strings.HasPrefix(remote, "user "): // by the socket (client/socket)
		return remote
	case err != nil:
		return "here"
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

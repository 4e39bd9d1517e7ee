package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
)

var (
	hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$`)
	numbers  = regexp.MustCompile(`^[0-9.]+$`)
	zone     = regexp.MustCompile(`%[A-Za-z0-9_.-]+$`)
)

// checkListen finds an address that nothing can listen on, before something tries to.
func checkListen(address string) error {
	const such = "want an address such as 127.0.0.1:7070"
	if address == "" {
		return errors.New(such)
	}
	if u, err := url.Parse(address); err == nil && u.Host != "" && u.Port() != "" {
		return fmt.Errorf("%s, not %q (did you mean %s?)", such, address, u.Host)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s, not %q (it has no port, or too many colons)", such, address)
	}
	if n, bad := strconv.ParseUint(port, 10, 16); bad != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("%s, not %q (a port is a number up to 65535)", such, address)
	}
	if host != "" && net.ParseIP(host) == nil && !namesHost(host) {
		return fmt.Errorf("%s, not %q (%s is no name or address of a machine)", such, address, host)
	}
	return nil
}

// namesHost reports whether a text could name a machine, or an address of IPv6 with its
// zone. Four numbers that are no address are a mistake, not a name.
func namesHost(text string) bool {
	if numbers.MatchString(text) {
		return false
	}
	if i := zone.FindStringIndex(text); i != nil {
		return net.ParseIP(text[:i[0]]) != nil
	}
	return hostName.MatchString(text)
}

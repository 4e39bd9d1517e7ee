package slurmtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
)

// Every place has ports of its own, which the kernel gives to nobody: its own begin at
// 32768. So a port that was free when a cluster was planned is free when its daemon
// starts, and when it is started again.
const (
	firstPort  = 20000
	portsOfOne = 4000
)

// freePorts are some of a place that nobody listens at, from one that is drawn: who
// still speaks to an earlier cluster of the place speaks to nobody.
func (p *place) freePorts(n int) ([]int, error) {
	start, ports := int(binary.BigEndian.Uint16(randomBytes(2))), []int(nil)
	for i := range portsOfOne {
		port := firstPort + p.number*portsOfOne + (start+i)%portsOfOne
		l, err := net.Listen("tcp", net.JoinHostPort("", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		if err = l.Close(); err != nil {
			return nil, err
		}
		if ports = append(ports, port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("%w: %d of %d", errNoPorts, len(ports), n)
}

var errNoPorts = errors.New("too few ports are free for a slurm")

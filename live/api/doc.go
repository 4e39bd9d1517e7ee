// Package api is the door of a live market: HTTP and JSON over a [Market].
//
// It decides who somebody is (tokens, certificates), what they may see and
// touch (one table of routes with the roles of each), and how an answer or a
// refusal looks on the wire (RFC 9457 problems, one table of reasons). What is
// asked is answered by the Market behind it; the package keeps no state but
// caches and counters, and never decides about jobs, prices or money.
//
// What goes in and out is the wire form, package client/v1; the words of agents are
// those of package task. Read market.go for what stands behind the door, reader by
// reader, then routes.go.
package api

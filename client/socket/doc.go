// Package socket is how programs on one machine find their market and know that
// it is theirs: a Unix socket at a place that only its owner can write to.
//
// A TCP port is anybody's who binds it first, so who sends a token to a port of
// this machine does not know to whom. A directory is somebody's. [Dial] connects
// to a socket only if every directory above it is root's, the caller's or that of
// a user the caller has named, nobody else can write to it, and the process that
// listens has the user number of the directory's owner; all of that before the
// first byte is sent. [Listen] makes such a place.
//
// It decides who may be spoken to and never what is said. Read place.go first:
// it says where sockets are. Credentials of the other end are Linux's; elsewhere
// every call is an error that says so.
package socket

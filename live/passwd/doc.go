// Package passwd says which users of a host are the system's own: root, the users
// that daemons run as, and nobody. Jobs do not run as them unless a configuration
// names them. It decides nothing else and changes nothing. Read system.go.
package passwd

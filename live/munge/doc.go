// Package munge is who somebody is by munge, which sites with Slurm have on all their hosts:
// a credential is made on one of them by its user, and says on any other whose it is.
//
// It asks munge's own programs, munge and unmunge, and keeps nothing. Who is let in by what
// they say is not decided here (api).
package munge

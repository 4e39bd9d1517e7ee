// Package hostlist reads lists of nodes as Slurm writes them: n[1-3,7],m[08-10].
package hostlist

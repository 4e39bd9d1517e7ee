// Package packaging is how the program is put on hosts: packages for dpkg and rpm, made
// by make packages of libra.yaml and libra-slurm.yaml. What happens when one comes or
// goes is in scripts, the same for both. There is no Go here but its test, which puts the
// packages on a bare system and takes them off again.
package packaging

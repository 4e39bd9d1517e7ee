// Package cgrouptest helps to test that groups get the shares they should.
package cgrouptest

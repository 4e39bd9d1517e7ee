// Package system has no code of its own: its tests run the whole program for
// real.
//
// They build the binary once, start controllers and agents as processes with
// homes, ports, groups and network namespaces of their own, speak to them
// through package client and the command line, and look at what the kernel and the
// files say: whether shares were held, whether anything ran twice, whether money
// went astray when something was killed, cut off or full. They decide nothing and
// measure only what a user could see.
//
// A guard around the tests (guard_test.go) clears away whatever they leave behind,
// also where they fail, and says so. Parts that the machine must have (cgroup,
// netns) are asked for in parts_test.go: where one is absent a test is skipped,
// or fails if LIBRA_REQUIRE names the part. LIBRA_LONG=1 runs the storms of
// kills for minutes instead of seconds, LIBRA_SEED repeats one, and LIBRA_BINARY
// names a binary to be tested instead of one built from here.
//
// Read guard_test.go first, then daemon_test.go and market_test.go for the means,
// then any other file: each is about one promise.
package system

//go:build !linux

package socket

import (
	"context"
	"fmt"
	"net"
)

// Dial cannot know whom it would speak to.
func Dial(context.Context, ...Address) (net.Conn, error) {
	return nil, fmt.Errorf("%w: give the market an https address", ErrSystem)
}

// Listen cannot know who comes.
func Listen(...string) (net.Listener, error) { return nil, ErrSystem }

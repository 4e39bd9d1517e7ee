package apitest

import (
	"context"

	"github.com/libra-market/libra/client/v1"
)

// Say tells all who follow. The number of the notice is set here.
func (m *Market) Say(n v1.Notice) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n.Seq = int64(len(m.notices) + 1)
	m.notices = append(m.notices, n)
	for to, owner := range m.waiting {
		if !meant(&n, owner) {
			continue
		}
		select {
		case to <- n:
		default: // too slow
			delete(m.waiting, to)
			close(to)
		}
	}
}

// Hang cuts off all who follow.
func (m *Market) Hang() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for to := range m.waiting {
		delete(m.waiting, to)
		close(to)
	}
}

// Followers counts those who follow.
func (m *Market) Followers() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiting)
}

// Follow delivers notices.
func (m *Market) Follow(ctx context.Context, owner string, after int64) (<-chan v1.Notice, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(chan v1.Notice, 1000)
	for _, n := range m.notices {
		if after >= 0 && n.Seq > after && meant(&n, owner) {
			out <- n
		}
	}
	m.waiting[out] = owner
	context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if _, open := m.waiting[out]; open {
			delete(m.waiting, out)
			close(out)
		}
	})
	return out, m.err
}

// Leak makes Follow deliver what is not meant for its reader, so that a test
// can see whether somebody else looks.
const Leak = "leak"

func meant(n *v1.Notice, owner string) bool {
	return owner == "" || n.Owner == "" || n.Owner == owner || n.Node == Leak
}

package store

// Depose takes the lead from whoever has it, as a controller does to whom the leader's
// beat has stood still for too long. Who had it can write nothing any more.
func (m *Memory) Depose() {
	m.mu.Lock()
	leader, mine := m.leader, (chan struct{})(nil)
	if leader != nil {
		mine = leader.lost
	}
	m.mu.Unlock()
	if leader != nil {
		leader.release(mine)
	}
}

// fenced says that this store led, and does not any more. One that never did may write:
// it is alone. The lock is held.
func (s *memory) fenced() error {
	if s.lost != nil && s.on.leader != s {
		return ErrDeposed
	}
	return nil
}

package archive

// StopAt lets a test stop a mover after any of its steps.
func (m *Mover) StopAt(step func(string) error) { m.step = step }

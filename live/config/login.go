package config

// Login says who is let in without a token.
type Login struct {
	// Socket: users, who come by the market's socket are the users of the system that the
	// kernel says they are; nobody, a token it must be. Empty: users where root serves a
	// market in front of Slurm, whose users are those of the host anyway, else nobody.
	Socket string `yaml:"socket"`

	// Munge: users, who show a credential of munge's are the users of the system that it
	// says they are, from all hosts that have its key; nobody, and the default: a token it
	// must be.
	Munge string `yaml:"munge"`
}

// Who may come by the socket, or by munge, without a token.
const (
	LoginUsers  = "users"
	LoginNobody = "nobody"
)

func (l *Login) wrong(m *mistakes) {
	m.When(l.Socket != "" && l.Socket != LoginUsers && l.Socket != LoginNobody, "want users or nobody", "login.socket")
	m.When(l.Munge != "" && l.Munge != LoginUsers && l.Munge != LoginNobody, "want users or nobody", "login.munge")
}

// LocalUsers reports whether who comes by the socket needs no token, for a market that a
// user of the system serves.
func (c *Config) LocalUsers(uid int) bool {
	if c.Login.Socket == "" {
		return c.Backend == BackendSlurm && uid == 0
	}
	return c.Login.Socket == LoginUsers
}

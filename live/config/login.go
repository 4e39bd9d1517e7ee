package config

// Login says who is let in without a token.
type Login struct {
	// Socket: users, who come by the market's socket are the users of the system that the
	// kernel says they are; nobody, a token it must be. Empty: users where root serves a
	// market in front of Slurm, whose users are those of the host anyway, else nobody.
	Socket string `yaml:"socket"`
}

// Who may come by the socket without a token.
const (
	LoginUsers  = "users"
	LoginNobody = "nobody"
)

func (l *Login) wrong(m *mistakes) {
	m.When(l.Socket != "" && l.Socket != LoginUsers && l.Socket != LoginNobody, "want users or nobody", "login.socket")
}

// LocalUsers reports whether who comes by the socket needs no token, for a market that a
// user of the system serves.
func (c *Config) LocalUsers(uid int) bool {
	if c.Login.Socket == "" {
		return c.Backend == BackendSlurm && uid == 0
	}
	return c.Login.Socket == LoginUsers
}

package v1

// Role is what somebody may do.
type Role string

// The roles.
const (
	RoleUser  Role = "user"  // own jobs, own account
	RoleOwner Role = "owner" // the cluster: every job, every account, the levers
	RoleNode  Role = "node"  // an agent: its own node
)

// Token is what is known of a token. Times are unix microseconds.
type Token struct {
	ID        string `json:"id"` // to speak of it; it opens nothing
	User      string `json:"user"`
	Role      Role   `json:"role"`
	Name      string `json:"name,omitempty"`   // what its user calls it
	Parent    string `json:"parent,omitempty"` // ID of the token it was made with; empty: with none, or before this was kept
	MadeUS    int64  `json:"made_us"`
	ExpiresUS int64  `json:"expires_us,omitempty"` // 0: never
	RevokedUS int64  `json:"revoked_us,omitempty"` // 0: it is not
}

// Good reports whether the token opens anything at a time.
func (t *Token) Good(atUS int64) bool {
	return t.RevokedUS == 0 && (t.ExpiresUS == 0 || atUS < t.ExpiresUS)
}

// TokenRequest asks for a token.
type TokenRequest struct {
	User  string `json:"user,omitempty"` // default: who asks
	Role  Role   `json:"role,omitempty"` // default user
	Name  string `json:"name,omitempty"`
	TTLMS int64  `json:"ttl_ms,omitempty"` // default 90 days, at most ten years

	// SystemUser says that a token is meant to be for root or another user of the
	// system. Whether jobs run as such is up to the agents.
	SystemUser bool `json:"system_user,omitempty"`
}

// NewToken is a token with its secret, which is shown this once.
type NewToken struct {
	Token

	Secret string `json:"secret"`
}

// TokenList is tokens without their secrets.
type TokenList struct {
	Tokens []Token `json:"tokens"`
}

// Whoami is who the server takes somebody for.
type Whoami struct {
	User    string `json:"user"`
	Role    Role   `json:"role"`
	Account string `json:"account,omitempty"` // their own
	Token   *Token `json:"token,omitempty"`   // absent: a certificate
}

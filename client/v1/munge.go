package v1

// Challenge is what who has no token signs with munge to be let in: once, and soon.
type Challenge struct {
	Challenge string `json:"challenge"`
	ExpiresUS int64  `json:"expires_us"`
}

// MungeLogin is a challenge, and munge's credential of "libra login CHALLENGE".
type MungeLogin struct {
	Challenge  string `json:"challenge"`
	Credential string `json:"credential"`
}

// MungeSession is what lets a user in that munge has told: as Authorization: Munge SESSION.
type MungeSession struct {
	User      string `json:"user"`
	Session   string `json:"session"`
	ExpiresUS int64  `json:"expires_us"` // at the latest; it ends sooner if it is not used
}

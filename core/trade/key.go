package trade

// Key makes a command happen once however often it is sent. The zero Key asks
// for nothing.
type Key struct {
	Owner  string `json:"owner"` // keys of different users have nothing to do with each other
	Key    string `json:"key"`
	Digest []byte `json:"digest"` // SHA-256 of what was asked
}

// Given reports whether there is a key.
func (k *Key) Given() bool { return k.Key != "" }

package trade

import "github.com/libra-market/libra/core/rules"

// PolicySettings is what an epoch sets of its policy, in the form in which policies
// take it.
func (e *EpochView) PolicySettings() map[string]string {
	_, set := rules.Split(e.given())
	return set
}

// Setting is what an epoch sets of one name; "": nothing.
func (e *EpochView) Setting(name string) string {
	for i := range e.Settings {
		if e.Settings[i].Name == name {
			return e.Settings[i].Value
		}
	}
	return ""
}

func (e *EpochView) given() map[string]string {
	set := map[string]string{}
	for _, s := range e.Settings {
		set[s.Name] = s.Value
	}
	return set
}

// Rules are how the market trades in an epoch.
func (e *EpochView) Rules() rules.Rules {
	r, err := rules.Read(e.given())
	if err != nil { // they were checked when it began
		return rules.Papers()
	}
	return r
}

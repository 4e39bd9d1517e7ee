package market

// KindOf is the kind of event of a name.
func KindOf(name string) (Kind, bool) {
	for k, known := range kinds {
		if k > 0 && known == name {
			return Kind(Uint8(k)), true
		}
	}
	return 0, false
}

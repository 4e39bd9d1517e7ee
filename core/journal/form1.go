package journal

import "encoding/json"

// renamed is what snapshots of form 1 called the fields of a job in the book.
var renamed = map[string]string{
	"submit_s": "submit", "estimate_s": "estimate", "optional_s": "optional", "deadline_s": "deadline",
	"penalty_per_s": "penalty", "bonus_per_s": "bonus", "memory_mb": "memory", "disk_mb": "disk",
}

// fromForm1 turns a snapshot of form 1 into one of form 2.
func fromForm1(encoded []byte) ([]byte, error) {
	return within(encoded, []string{"cluster", "book"}, func(book fields) error {
		for _, list := range []string{"running", "waiting"} {
			var jobs []fields
			if book[list] == nil {
				continue
			}
			if err := json.Unmarshal(book[list], &jobs); err != nil {
				return err
			}
			for _, j := range jobs {
				for was, is := range renamed {
					if value, has := j[was]; has {
						j[is] = value
						delete(j, was)
					}
				}
			}
			text, err := json.Marshal(jobs)
			if err != nil {
				return err
			}
			book[list] = text
		}
		return nil
	})
}

// fields are those of an object of JSON.
type fields map[string]json.RawMessage

// within changes the object at a path, if it is there.
func within(encoded []byte, path []string, change func(fields) error) ([]byte, error) {
	var object fields
	if err := json.Unmarshal(encoded, &object); err != nil || object == nil {
		return encoded, err
	}
	if len(path) == 0 {
		if err := change(object); err != nil {
			return nil, err
		}
		return json.Marshal(object)
	}
	inner, has := object[path[0]]
	if !has {
		return encoded, nil
	}
	text, err := within(inner, path[1:], change)
	if err != nil {
		return nil, err
	}
	object[path[0]] = text
	return json.Marshal(object)
}

package command

import (
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"
)

// Path is the name of a file, or another word of the command line. JSON strings are Unicode, so
// that one which is not valid UTF-8 is an object there, with its bytes in hexadecimal digits:
// {"hex": "66ff"}.
type Path string

type hexPath struct {
	Hex string `json:"hex"`
}

// MarshalJSON returns the string, or the object.
func (p Path) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(p)) {
		return json.Marshal(string(p))
	}
	return json.Marshal(hexPath{hex.EncodeToString([]byte(p))})
}

// UnmarshalJSON takes what MarshalJSON returns.
func (p *Path) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return json.Unmarshal(text, (*string)(p))
	}
	var object hexPath
	err := json.Unmarshal(text, &object)
	if err != nil {
		return err
	}
	bytes, err := hex.DecodeString(object.Hex)
	*p = Path(bytes)
	return err
}

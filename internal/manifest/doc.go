// Package manifest is the text layer under the adapter: it cuts a ResourceList
// or a YAML stream into objects without parsing them, parses one on demand, and
// writes everything back so that an object nobody changed comes out byte for
// byte as it came in.
//
// Text is accepted unparsed only where a strict recogniser of the block YAML
// that kustomize, kpt and kubectl emit is certain that the real parser would
// accept it and see the same objects; a fuzz test holds the two together. An
// object written in any other way is parsed when it is read, on its own. Where
// even the frame of a list is unusual (JSON, flow style, anchors that cross
// objects, line breaks that only YAML knows), the whole list is parsed: it is
// still copied as it came while nothing changes, and written anew by kyaml, with
// aliases expanded, once something does.
//
// Refused, with the line: malformed YAML, a key twice in one mapping, nesting
// deeper than 1,000, text that is no UTF-8, aliases that expand without measure,
// and lists inside lists, whose objects nobody would judge.
//
// Scalars mean what kyaml takes them for: `yes` is a string, 010 is the number
// 8. A Document is not safe for concurrent use.
package manifest

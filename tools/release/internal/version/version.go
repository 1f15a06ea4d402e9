// Package version tells a release's version from that of a snapshot.
package version

import (
	"fmt"
	"regexp"

	"golang.org/x/mod/semver"
)

var (
	// tag is what an image's tag may be: https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pulling-manifests
	tag = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)
	// described is what git describe appends to a tag that isn't of this commit, or of an edited tree.
	described = regexp.MustCompile(`-\d+-g[0-9a-f]{7,}(-dirty)?$|-dirty$`)
)

// Version is what an executable is stamped with, images are tagged with and archives are called by.
type Version struct{ text string }

// Parse takes a tag of this repository, or anything else for a snapshot, as
// `git describe --tags --always --dirty` gives it.
func Parse(text string) (Version, error) {
	if !tag.MatchString(text) {
		return Version{}, fmt.Errorf("version %q: it can't be an image's tag, which has letters, digits, dots, dashes and underscores", text)
	}
	return Version{text}, nil
}

func (v Version) String() string { return v.text }

// Number is the version without the v of its tag, as in the changelog and in the collection.
func (v Version) Number() string {
	if semver.IsValid(v.text) {
		return v.text[1:]
	}
	return v.text
}

// IsRelease says that the version is a tag vMAJOR.MINOR.PATCH, perhaps with a pre-release.
func (v Version) IsRelease() bool {
	return semver.IsValid(v.text) && semver.Canonical(v.text) == v.text && !described.MatchString(v.text)
}

package finding

// ID names a rule. It is stable: pipelines match on it.
type ID string

// Rule is what is the same for every finding of one ID.
type Rule struct {
	Severity Severity
	// Summary says in one sentence what holds when nothing is found.
	Summary string
	// Remedy is what to do where a finding has no remedy of its own.
	Remedy string
	// Source is where the rule comes from: a section of DD-0025 or a fact of the software.
	Source string
}

// The input: what is written is read as it was meant, or not at all.
const (
	InputUnreadable        ID = "input-unreadable"
	InputUnknownField      ID = "input-unknown-field"
	InputDuplicateKey      ID = "input-duplicate-key"
	InputWrongType         ID = "input-wrong-type"
	InputMissing           ID = "input-missing"
	InputInvalidValue      ID = "input-invalid-value"
	InputDuplicateName     ID = "input-duplicate-name"
	InputUndefined         ID = "input-undefined-reference"
	InputAmbiguous         ID = "input-ambiguous"
	InputUnused            ID = "input-unused"
	InputHost              ID = "input-host"
	OwnerMissing           ID = "owner-missing"
	OwnerConflict          ID = "owner-conflict"
	OwnerNotGitOps         ID = "owner-not-gitops"
	IdentityAmbiguous      ID = "identity-ambiguous"
	CallerNotEnrolled      ID = "caller-not-enrolled"
	DestinationNotEnrolled ID = "destination-not-enrolled"
	ProductionRelaxed      ID = "production-relaxed"
	OverrideActive         ID = "override-active"
	LadderComponent        ID = "ladder-component"
	GeneratorField         ID = "generator-field"
	ObjectUnreadable       ID = "object-unreadable"
	ObjectMissing          ID = "object-missing"
	ObjectDuplicate        ID = "object-duplicate"
	ObjectForeign          ID = "object-foreign"
	ObjectAdopted          ID = "object-adopted"
	ObjectOfOtherOwner     ID = "object-of-other-owner"
	ObjectRetired          ID = "object-retired"
	ObjectStale            ID = "object-stale"
	ObjectChanged          ID = "object-changed"
)

var Catalogue = map[ID]Rule{}

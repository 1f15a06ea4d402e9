// Package krm runs units as KRM functions and as a filter: it reads their
// configuration strictly, carries their plans out on the text of the items, and
// reports. It is the only place that knows ResourceLists.
//
// A run that fails emits its input whole, with results that say why, and exits
// with a status other than 0: kpt would delete the files of items that are
// missing from the output.
package krm

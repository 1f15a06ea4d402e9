// Package accesstest asks the judge the cases of AccessTests: whether objects let
// in whom a person says they must, and nobody of whom a person says they mustn't.
// A case is about objects by their names, so that it holds against a fault of the
// model as well as against one of what is derived from it.
package accesstest

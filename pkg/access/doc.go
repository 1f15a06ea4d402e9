// Package access judges objects as rendered, by whomever: who can reach what, and
// why. It knows no model, only what a cluster with these objects would do.
//
// An answer has five stages, each with what it rests on: the network lets the
// connection through, both ends' proxies capture it, a transport carries an
// identity, tokens are authenticated, and policies authorize. A request must pass
// all of them. What can't be known offline is unknown, and never a guess.
package access

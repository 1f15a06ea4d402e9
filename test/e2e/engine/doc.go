// Package engine gives tests a Docker engine: the one that answers already, or one
// of their own that ends with them and leaves nothing behind.
package engine

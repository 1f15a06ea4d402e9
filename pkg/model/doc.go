// Package model is the hub: what an AccessModel and an Environment say, parsed
// once into valid, opaque values. A Platform that exists is right; every later
// package takes it as it is and reports no problem of the input again.
package model

package model

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Port is a workload port: a number, or the name of a container port.
// Its zero value is no port.
type Port struct {
	number int32
	name   string
}

// PortNumber returns the port of a number from 1 to 65535.
func PortNumber(n int32) (Port, error) {
	if n < 1 || n > 65535 {
		return Port{}, fmt.Errorf("%d is no port number: those are 1 to 65535", n)
	}
	return Port{number: n}, nil
}

// PortName returns the port that a container calls name.
func PortName(name string) (Port, error) {
	if _, err := strconv.Atoi(name); err == nil {
		return Port{}, fmt.Errorf("%q is a number in quotes, and no port name", name)
	}
	if problems := validation.IsValidPortName(name); len(problems) > 0 {
		return Port{}, fmt.Errorf("%q is no port name: %s", name, rule(problems))
	}
	return Port{name: name}, nil
}

// Number returns the number; 0 when p is a name.
func (p Port) Number() int32 { return p.number }

// Name returns the name; empty when p is a number.
func (p Port) Name() string { return p.name }

// String returns the number or the name.
func (p Port) String() string {
	if p.name != "" {
		return p.name
	}
	return strconv.Itoa(int(p.number))
}

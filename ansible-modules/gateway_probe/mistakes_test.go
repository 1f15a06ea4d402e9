package gatewayprobe

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMistakes: what is wrong with a task is said before anything is sent, and names the option.
func TestMistakes(t *testing.T) {
	good := object{"name": "edge", "address": "127.0.0.1", "port": 1, "hosts": []string{"shop.example.org"}}
	with := func(more object) object { return object{"gateways": []any{merged(good, more)}} }
	inModel := object{"model": document(t, accessModel), "environment": document(t, environment)}
	cases := map[string]struct {
		args object
		says []string
	}{
		"no-gateways":             {object{"gateways": []any{}}, []string{"gateways: the list is empty"}},
		"no-hosts":                {with(object{"hosts": nil}), []string{"gateways[0] (edge): hosts: there is none"}},
		"no-address":              {with(object{"address": nil}), []string{"gateways[0] (edge): address: it is empty"}},
		"several-at-once":         {with(object{"address": "http://x", "port": 0, "path": "x"}), []string{"gateways[0] (edge): address: ", "gateways[0] (edge): port: 0", "gateways[0] (edge): path: "}},
		"bad-host":                {with(object{"hosts": []string{"shop.example.org:80"}}), []string{`gateways[0] (edge): hosts: "shop.example.org:80": it has a port`}},
		"every-host":              {with(object{"hosts": []string{"*"}}), []string{"it admits every host"}},
		"rejected-host-is-served": {merged(with(object{"hosts": []string{"*.invalid"}}), nil), []string{`rejected_host: the gateway's host "*.invalid" covers "rejected.invalid"`}},
		"bad-rejected-host":       {merged(with(nil), object{"rejected_host": "a b"}), []string{`rejected_host: "a b"`}},
		"bad-url":                 {with(object{"url": "https://me:s3cr3t@shop.example.org/"}), []string{"url: it holds a user or password"}},
		"bad-host-port":           {with(object{"host_ports": []int{0}}), []string{"host_ports: 0 is no port number"}},
		"metrics-without-address": {with(object{"metrics_address": "[::1]", "metrics_port": 15090}), []string{"metrics_address: "}},
		"method-that-writes":      {with(object{"method": "POST"}), []string{"method must be one of: GET, OPTIONS"}},
		"unknown-option":          {with(object{"host": "x"}), []string{"host", "hosts"}},
		"no-timeout":              {merged(with(nil), object{"timeout": 0}), []string{"timeout: it is 0"}},
		"negative-numbers":        {merged(with(nil), object{"timeout": -1, "delay": -1, "retries": -1, "successes": 0}), []string{"timeout: -1", "delay: -1", "retries: -1", "successes: 0"}},
		"environment-alone":       {merged(with(nil), object{"environment": object{}}), []string{"environment: it says nothing without a model"}},
		"owner-alone":             {merged(with(nil), object{"owner": "role"}), []string{"owner: it says nothing without a model"}},
		"not-in-the-model":        {merged(with(object{"name": "egde"}), inModel), []string{"gateways[0] (egde): name: the model has no such gateway; it has edge, wild, gone, identity"}},
		"of-another-owner":        {merged(with(object{"name": "wild"}), merged(inModel, object{"owner": "role"})), []string{`name: the gateway is owner "shop"'s`}},
		"bad-model":               {merged(with(nil), object{"model": object{"kind": "AccessModel"}}), []string{"AccessModel", "apiVersion"}},
		"header-of-ours":          {merged(with(nil), object{"headers": object{"host": "s3cr3t"}}), []string{"headers: Host is the module's own"}},
		"header-that-splits":      {merged(with(nil), object{"headers": object{"X-A": "s3cr3t\r\nX-B: c"}}), []string{`headers: "X-A"`}},
		"header-of-no-text":       {merged(with(nil), object{"headers": object{"X-A": []string{"s3cr3t"}}}), []string{`headers: the value of "X-A"`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out := call(t, merged(object{"retries": 0}, c.args))
			assert.Equal(t, true, out["failed"])
			for _, text := range c.says {
				assert.Contains(t, out["msg"], text)
			}
			assert.NotContains(t, out["msg"], "s3cr3t")
			assert.NotContains(t, out["msg"], "connection refused", "nothing was sent")
		})
	}
}

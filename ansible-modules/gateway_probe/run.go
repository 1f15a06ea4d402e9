package gatewayprobe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/probe"
)

func run(ctx context.Context, call *ansible.Call) (ansible.Result, error) {
	platform, findings, err := input(call)
	if err != nil {
		return ansible.Result{}, err
	}
	result, err := call.Report(findings)
	if err != nil {
		return result, err
	}
	prober, err := newProber(call)
	list, listErr := targets(call, platform)
	if err := errors.Join(err, listErr); err != nil {
		return result, err
	}
	return probeAll(ctx, call, prober, list, result)
}

// input reads the model, if one is given and a gateway is there to be asked: the
// host of one that isn't deployed may be missing. Without a model nothing that only
// it makes sense of may be there, for that would be ignored in silence.
func input(call *ansible.Call) (*model.Platform, finding.List, error) {
	deployed := slices.ContainsFunc(call.Dicts("gateways"), func(entry map[string]any) bool {
		deployed, known := entry["deployed"].(bool)
		return deployed || !known
	})
	switch {
	case !deployed:
		return nil, nil, nil
	case call.Has("model"):
		platform, findings := call.Platform()
		return platform, findings, nil
	}
	for _, name := range []string{"environment", "owner", "dns", "trust_domain"} {
		if call.Has(name) {
			return nil, nil, fmt.Errorf("%s: it says nothing without a model; give model, or leave it out and name the hosts of each gateway", name)
		}
	}
	return nil, nil, nil
}

// probeAll asks one gateway after the other. Failures don't end it: they are
// reported together.
func probeAll(ctx context.Context, call *ansible.Call, prober *probe.Prober, list []target, result ansible.Result) (ansible.Result, error) {
	var (
		gateways           = []any{}
		failures, warnings []string
		checks, deployed   int
	)
	result.Values["passed"] = false // until all were asked
	defer func() { result.Values["gateways"] = gateways }()
	for _, t := range list {
		if t.skipped != "" {
			gateways = append(gateways, t.skippedValue())
			continue
		}
		report, err := prober.Probe(ctx, t.Gateway)
		gateways = append(gateways, t.value(report, err))
		if err != nil {
			return result, fmt.Errorf("probing gateway %s: %w", t.Name, err)
		}
		deployed++
		checks += len(report.Checks)
		failures, warnings = append(failures, report.Failures()...), append(warnings, report.Warnings...)
	}
	if call.Bool("strict") && len(failures)+len(warnings) > 0 {
		return result, fmt.Errorf("%d of %d checks failed, with %d warnings:\n%s", len(failures), checks, len(warnings), strings.Join(append(failures, warnings...), "\n"))
	}
	for _, warning := range warnings {
		call.Warn("%s", warning)
	}
	if len(failures) > 0 {
		return result, fmt.Errorf("%d of %d checks failed:\n%s", len(failures), checks, strings.Join(failures, "\n"))
	}
	result.Values["passed"] = true
	if deployed == 0 {
		result.Skipped = "none of the gateways is deployed here"
		return result, nil
	}
	result.Message = fmt.Sprintf("%d of %d gateways are deployed here, and all %d checks passed", deployed, len(list), checks)
	return result, nil
}

// newProber reads how to ask.
func newProber(call *ansible.Call) (*probe.Prober, error) {
	timeout, timeoutErr := duration(call, "timeout")
	delay, delayErr := duration(call, "delay")
	headers, headersErr := header(call)
	errs := []error{timeoutErr, delayErr, headersErr}
	if timeoutErr == nil && timeout == 0 {
		errs = append(errs, errors.New("timeout: it is 0, so that no answer could come in time"))
	}
	if call.Int("retries") < 0 {
		errs = append(errs, fmt.Errorf("retries: %d is less than 0", call.Int("retries")))
	}
	if call.Int("successes") < 1 {
		errs = append(errs, fmt.Errorf("successes: %d is less than 1, so that nothing would be proved", call.Int("successes")))
	}
	return &probe.Prober{
		Timeout: timeout, Delay: delay, Retries: call.Int("retries"), Successes: call.Int("successes"),
		Insecure: !call.Bool("validate_certs"), Headers: headers, Servers: call.Strings("server_names"),
	}, errors.Join(errs...)
}

func duration(call *ansible.Call, name string) (time.Duration, error) {
	const most = 24 * time.Hour
	s := call.Float(name)
	if s < 0 || s > most.Seconds() {
		return 0, fmt.Errorf("%s: %v is not from 0 to %v seconds", name, s, most.Seconds())
	}
	return time.Duration(s * float64(time.Second)), nil
}

// header reads the headers to send. No message holds a value.
func header(call *ansible.Call) (http.Header, error) {
	var errs []error
	out := http.Header{}
	given := call.Dict("headers")
	for _, key := range slices.Sorted(maps.Keys(given)) {
		text, name := fmt.Sprint(given[key]), http.CanonicalHeaderKey(key)
		switch name {
		case "Host", "Content-Length", "Transfer-Encoding", "Trailer", "Connection":
			errs = append(errs, fmt.Errorf("headers: %s is the module's own to send", name))
			continue
		}
		switch given[key].(type) {
		case string, int64, float64:
		default:
			errs = append(errs, fmt.Errorf("headers: the value of %q is neither a text nor a number; quote it", name))
			continue
		}
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(text) {
			errs = append(errs, fmt.Errorf("headers: %q is no header's name, or its value has what a header can't hold", name))
			continue
		}
		// "Bearer x" is secret, and so is x alone.
		if fields := strings.Fields(text); len(fields) > 1 {
			call.Secret(fields[len(fields)-1])
		}
		out.Add(name, text)
	}
	return out, errors.Join(errs...)
}

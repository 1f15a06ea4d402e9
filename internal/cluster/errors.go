package cluster

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Error is a request that failed.
type Error struct {
	// Action is the API's verb: "update".
	Action string
	Ref    resource.Ref
	// Reason and Code are the API server's; empty and 0 where it didn't answer.
	Reason string
	Code   int32
	// Remedy says what to do; may be empty.
	Remedy string
	Err    error
}

// Error says what failed, what the API server said, and what to do.
func (e *Error) Error() string {
	message := fmt.Sprintf("Failed to %s %s: %s", e.Action, e.Ref, said(e.Err))
	if e.Remedy != "" {
		message += "; " + e.Remedy
	}
	return message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// said returns an error without the address that http adds, which is said elsewhere.
func said(err error) string {
	if fault, ok := errors.AsType[*url.Error](err); ok {
		return fault.Err.Error()
	}
	return err.Error()
}

func (c *Client) failure(action string, ref resource.Ref, err error) error {
	out := &Error{Action: action, Ref: ref, Err: err, Remedy: c.remedy(action, ref, err)}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		out.Reason, out.Code = string(status.Status().Reason), status.Status().Code
	}
	return out
}

func (c *Client) remedy(action string, ref resource.Ref, err error) string {
	k, _ := kindOf(ref.Group(), ref.Kind)
	var (
		unknown  x509.UnknownAuthorityError
		invalid  x509.CertificateInvalidError
		hostname x509.HostnameError
		network  net.Error
	)
	switch {
	case missingKind(err):
		return fmt.Sprintf("%s doesn't serve %s of %s: install its CRDs (Istio's are in the chart istio-base), or look whether this is the right cluster", c.host, k.plural, ref.APIVersion)
	case apierrors.IsForbidden(err):
		where := "in the cluster"
		if ref.Namespace != "" {
			where = fmt.Sprintf("in namespace %q", ref.Namespace)
		}
		return fmt.Sprintf("let the task's user %s %s of group %q %s", action, k.plural, k.group, where)
	case apierrors.IsUnauthorized(err):
		return "the API server doesn't accept the credentials: look at the token or the certificate of the connection"
	case apierrors.IsNotFound(err) && action == "create":
		return fmt.Sprintf("create the namespace %q first", ref.Namespace)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return "the object isn't as the API server wants it: is the CRD of a version that Ringfence knows?"
	case apierrors.IsTooManyRequests(err):
		return "the API server is overloaded: run the task again later"
	case errors.As(err, &unknown), errors.As(err, &invalid), errors.As(err, &hostname):
		return fmt.Sprintf("the certificate of %s isn't to be trusted: look at ca_cert, and at its dates", c.host)
	case errors.Is(err, context.Canceled):
		return "the run was stopped; run it again, and it goes on from what is there"
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("%s didn't answer in time; run the task again, and it goes on from what is there", c.host)
	case transient(err):
		return "run the task again, and it goes on from what is there"
	}
	return ""
}

// missingKind reports whether the API server doesn't serve the kind at all. Then
// its answer names no object.
func missingKind(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Reason != metav1.StatusReasonNotFound {
		return false
	}
	details := status.Status().Details
	return details == nil || details.Name == "" || len(details.Causes) > 0 && details.Causes[0].Type == metav1.CauseTypeUnexpectedServerResponse
}

// conflict reports whether the object changed between our reading and our
// writing, or whether nobody knows whether our writing was done. To read and plan
// again is right in either case.
func conflict(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || transient(err)
}

// transient reports whether the same request may succeed in a moment.
func transient(err error) bool {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return false
	case apierrors.IsTooManyRequests(err), apierrors.IsServerTimeout(err), apierrors.IsTimeout(err),
		apierrors.IsInternalError(err), apierrors.IsServiceUnavailable(err):
		return true
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code >= 500
	}
	var certificate *x509.CertificateInvalidError
	text := err.Error()
	if errors.As(err, &certificate) || strings.Contains(text, "x509:") || strings.Contains(text, "tls:") {
		return false
	}
	var fault *url.Error
	return errors.As(err, &fault) // no answer: refused, reset, cut off, timed out
}

// The waits between the attempts at a request.
var pauses = []time.Duration{300 * time.Millisecond, time.Second, 3 * time.Second}

// retry repeats a request that only reads until it succeeds, or fails for good.
func retry(ctx context.Context, request func() error) error {
	for _, pause := range pauses {
		err := request()
		if err == nil || !transient(err) {
			return err
		}
		if sleep(ctx, pause) != nil {
			return err
		}
	}
	return request()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

package tenantpolicy

import (
	"net/netip"
	"slices"
	"strings"

	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

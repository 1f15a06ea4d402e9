package rbac

import (
	"errors"
	"net/netip"

	"google.golang.org/protobuf/types/known/structpb"
)

// ErrElsewhere says that the answer hangs on what another filter leaves for this one.
var ErrElsewhere = errors.New("metadata that isn't known")

// Request is what a proxy knows of a request, or of a connection.
type Request struct {
	// Principal is the peer's URI SAN; empty for plaintext.
	Principal string
	// Direct is the peer's address, Remote the client's as the proxy was told it.
	Direct, Remote, Destination netip.Addr
	Port                        uint32
	// SNI is empty where the client sent none.
	SNI string
	// Headers by lower-case names, with :authority, :method and :path; nil where no HTTP is read.
	Headers map[string]string
	// Claims of the validated token; nil where there is none.
	Claims *structpb.Struct
}

const (
	headerPath = ":path"
	// filterToken leaves a token's claims under the key payload.
	filterToken = "envoy.filters.http.jwt_authn"
	keyPayload  = "payload"
	// statePrincipal is what Istio's proxies keep of the peer's certificate.
	statePrincipal = "io.istio.peer_principal"
)

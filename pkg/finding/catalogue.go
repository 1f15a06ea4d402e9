package finding

// ID names a rule. It is stable: pipelines match on it.
type ID string

// Rule is what is the same for every finding of one ID.
type Rule struct {
	Severity Severity
	// Summary says in one sentence what holds when nothing is found.
	Summary string
	// Remedy is what to do where a finding has no remedy of its own.
	Remedy string
	// Source is where the rule comes from: a section of DD-0025, or a fact of the software.
	Source string
}

// The input is read as it was meant, or not at all.
const (
	InputUnreadable        ID = "input-unreadable"
	InputUnknownField      ID = "input-unknown-field"
	InputDuplicateKey      ID = "input-duplicate-key"
	InputWrongType         ID = "input-wrong-type"
	InputMissing           ID = "input-missing"
	InputInvalidValue      ID = "input-invalid-value"
	InputDuplicateName     ID = "input-duplicate-name"
	InputUndefined         ID = "input-undefined-reference"
	InputAmbiguous         ID = "input-ambiguous"
	InputUnused            ID = "input-unused"
	InputOverridden        ID = "input-overridden"
	InputHost              ID = "input-host"
	OwnerMissing           ID = "owner-missing"
	OwnerConflict          ID = "owner-conflict"
	OwnerTool              ID = "owner-tool"
	IdentityAmbiguous      ID = "identity-ambiguous"
	CallerNotEnrolled      ID = "caller-not-enrolled"
	DestinationNotEnrolled ID = "destination-not-enrolled"
)

// How a build is put together.
const (
	LadderComponent   ID = "ladder-component"
	OverrideActive    ID = "override-active"
	ProductionRelaxed ID = "production-relaxed"
	GeneratorField    ID = "generator-field"
	BuildUnjudged     ID = "build-unjudged"
)

// The objects of a build.
const (
	ObjectUnreadable ID = "object-unreadable"
	ObjectMissing    ID = "object-missing"
	ObjectDuplicate  ID = "object-duplicate"
	ObjectForeign    ID = "object-foreign"
	ObjectAdopted    ID = "object-adopted"
	ObjectMisplaced  ID = "object-misplaced"
	ObjectRetired    ID = "object-retired"
	ObjectAbsent     ID = "object-absent"
	ObjectStale      ID = "object-stale"
	ObjectWritten    ID = "object-written"
	ObjectImmutable  ID = "object-immutable"
	ObjectNotOurs    ID = "object-not-ours"
	PrunePartial     ID = "prune-partial"
	PodUnready       ID = "pod-unready"
	PodUnprotected   ID = "pod-unprotected"
)

// Hosts of gateways.
const (
	HostWildcard       ID = "host-wildcard"
	HostWildcardPorts  ID = "host-wildcard-ports"
	HostPrefix         ID = "host-prefix"
	HostMismatch       ID = "host-mismatch"
	HostServer         ID = "host-server"
	RouteUnbound       ID = "route-unbound"
	GatewayAllowOpen   ID = "gateway-allow-open"
	GatewayAllowWider  ID = "gateway-allow-wider"
	GatewayLockedOut   ID = "gateway-locked-out"
	GatewaySelector    ID = "gateway-selector"
	GatewayPassthrough ID = "gateway-passthrough"
	ConsumerContainer  ID = "consumer-container"
)

// Identities.
const (
	IdentityShared      ID = "identity-shared"
	IdentityGateway     ID = "identity-gateway"
	IdentityRenamed     ID = "identity-renamed"
	IdentityPullSecrets ID = "identity-pull-secrets"
	IdentityBinding     ID = "identity-binding"
	PrincipalNowhere    ID = "principal-nowhere"
	PrincipalElsewhere  ID = "principal-elsewhere"
)

// Enrollment.
const (
	EnrollHostNetwork      ID = "enroll-host-network"
	EnrollJobNeverEnds     ID = "enroll-job-never-ends"
	EnrollInitNetwork      ID = "enroll-init-network"
	EnrollUnreachable      ID = "enroll-unreachable"
	EnrollUnknownNamespace ID = "enroll-unknown-namespace"
	EnrollNamespaceWide    ID = "enroll-namespace-wide"
	EnrollPortNotCaptured  ID = "enroll-port-not-captured"
	EnrollUnexpected       ID = "enroll-unexpected"
)

// Policies of workloads.
const (
	PortUnknown         ID = "port-unknown"
	PolicyAttributes    ID = "policy-attributes"
	PolicyUnexpected    ID = "policy-unexpected"
	PolicySelector      ID = "policy-selector"
	PolicySelectsOthers ID = "policy-selects-others"
	WorkloadAllowWider  ID = "workload-allow-wider"
	WorkloadPeerMode    ID = "workload-peer-mode"
)

// Who reaches whom.
const (
	EdgeDenied  ID = "edge-denied"
	EdgeOpen    ID = "edge-open"
	EdgePort    ID = "edge-port"
	EdgeUnknown ID = "edge-unknown"

	AccessTestFailed  ID = "access-test-failed"
	AccessTestMissing ID = "access-test-missing"
	AccessTestAsked   ID = "access-test-asked"
)

// Tenants.
const (
	TenantSelectorKey    ID = "tenant-selector-key"
	TenantPort           ID = "tenant-port"
	TenantPolicyInert    ID = "tenant-policy-inert"
	TenantUnconstrained  ID = "tenant-unconstrained"
	TenantNamespace      ID = "tenant-namespace-unknown"
	TenantProxyConfig    ID = "tenant-proxy-config"
	TenantPolicyClash    ID = "tenant-policy-clash"
	TenantDeploymentMode ID = "tenant-deployment-mode"
)

// Argo CD.
const (
	ApplicationPrune       ID = "application-prune"
	ApplicationComponent   ID = "application-component"
	ApplicationEnvironment ID = "application-environment"
)

// Inventory and builds.
const (
	ParityProfile        ID = "parity-profile"
	ParityHost           ID = "parity-host"
	ParityConsumer       ID = "parity-consumer"
	ParityTrustDomain    ID = "parity-trust-domain"
	ParityVersion        ID = "parity-version"
	ParityVersionUnknown ID = "parity-version-unknown"
	ParityMissing        ID = "parity-missing"
	ParityNothing        ID = "parity-nothing"
)

// Catalogue holds every rule.
var Catalogue = map[ID]Rule{
	InputUnreadable:        {Error, "Every document of ours is YAML of a kind and version that Ringfence reads, and of a size that people write.", "mend the text, or take it out of the input", ""},
	InputUnknownField:      {Error, "Documents hold known fields alone.", "correct its spelling, or remove it", ""},
	InputDuplicateKey:      {Error, "A key stands once in its mapping.", "remove one of the two", ""},
	InputWrongType:         {Error, "Values are of the type that the schema gives; names that look like numbers or booleans are quoted.", "write a value of the right type, or remove the key", ""},
	InputMissing:           {Error, "Whatever is needed is given.", "add it", ""},
	InputInvalidValue:      {Error, "Values are ones that Kubernetes, Istio and SPIFFE accept, and that agree with each other.", "write a valid value", ""},
	InputDuplicateName:     {Error, "Names are unique within their section.", "rename or remove one of the two", ""},
	InputUndefined:         {Error, "References name entries that exist.", "correct the name, or add the entry", ""},
	InputAmbiguous:         {Error, "There is one AccessModel and one Environment.", "give one, or make both say the same", ""},
	InputOverridden:        {Warning, "The inventory and the Environment say the same.", "the inventory counts here; make both say the same, for GitOps reads the Environment alone", "DD-0025, section 1"},
	InputUnused:            {Info, "Entries are used by something.", "remove it where nothing else reads it", ""},
	InputHost:              {Error, "Hosts are DNS names without scheme, port or path; a wildcard is the whole first label.", "write the host name alone", "DD-0025 §3"},
	OwnerMissing:           {Error, "A build says whose it is.", "set spec.owner; a kustomize patch that misses its target leaves it empty", ""},
	OwnerConflict:          {Error, "An object belongs to one entry of the model, and to one owner.", "name it in one of the two entries, or rename the object of one", "DD-0025 §1"},
	OwnerTool:              {Error, "Kustomize and kpt build the objects of GitOps owners, Ansible those of Ansible owners.", "build as an owner of the right tool, or change its tool in the model", "DD-0025 §1"},
	IdentityAmbiguous:      {Error, "An identity that is trusted stands for what the model names and nothing beside it.", "give each its own serviceAccountName", "DD-0025 §4"},
	CallerNotEnrolled:      {Error, "Callers of an enforced destination have a proxy, and so an identity.", "enroll the caller first, or hold the destination on a lower rung with an override", "DD-0025 phase 5"},
	DestinationNotEnrolled: {Error, "A destination with callers has a proxy to hold its policy.", "set enroll: true, or remove callers", "DD-0025 §5"},

	LadderComponent:   {Error, "A build includes the components that its Environment's profile asks for: security-baseline always, security-enrollment from permissive on, security-enforcement in enforced alone, tenant-policies where the owner has tenants.", "make the components of the build and the Environment's securityProfile agree", "DD-0025 §1"},
	OverrideActive:    {Info, "No workload or gateway is held on a lower rung.", "remove the override when its canary is over", "DD-0025 phase 4"},
	ProductionRelaxed: {Warning, "A production environment is enforced and has no overrides.", "return to enforced when the reason is gone", "DD-0025 §1"},
	BuildUnjudged:     {Error, "Every kustomization that nothing else refers to ends in Ringfence.", "name its configuration under transformers:, or leave its directory out", ""},
	GeneratorField:    {Error, "Units run as transformers: a generator sees no resources.", "name the configuration under transformers: in kustomization.yaml", "kustomize"},

	ObjectUnreadable: {Error, "Objects that a rule looks at can be read as the cluster would read them.", "correct the object", ""},
	ObjectMissing:    {Error, "Objects that the model says this owner has are in its build.", "add the object to the build, correct the model's reference, or list the entry under spec.absent of the Environment", "DD-0025 §1"},
	ObjectDuplicate:  {Error, "An object that a rule looks at stands once.", "remove one of the two", ""},
	ObjectForeign:    {Error, "Nobody else writes an object of a generated one's name.", "rename or remove it, or hand it over by labelling it as ours", "DD-0025 §1"},
	ObjectAdopted:    {Warning, "No policy that admits every request is left to be adopted.", "remove the old policy from its source", "DD-0025 §3"},
	ObjectMisplaced:  {Error, "A build holds no object that the model gives to another owner.", "move it to its owner's build, or change its owner in the model", "DD-0025 §1"},
	ObjectRetired:    {Error, "Objects that the model calls retired are gone.", "remove it from the build", "DD-0025 phase 3"},
	ObjectAbsent:     {Error, "What an Environment lists as absent is in no build.", "take it out of the build, or its entry out of spec.absent", "DD-0025 §3"},
	ObjectStale:      {Error, "Every generated object and field is what the model derives, after everything that ran later too.", "run the functions before the verifier, and nothing after them that changes it (a patch, a namespace, another transformer)", "DD-0025, static tests 6 to 14"},
	ObjectWritten:    {Info, "What was created, changed or removed.", "", ""},
	ObjectImmutable:  {Warning, "Pod templates that are to change can be changed.", "delete it, and let whoever made it make it anew", "Kubernetes: the template of a Job is immutable"},
	ObjectNotOurs:    {Warning, "What carries the owner's labels was written by Ringfence.", "delete it, or take the labels off it", ""},
	PrunePartial:     {Warning, "What the owner no longer derives is found in every namespace.", "let the task's user list them in the whole cluster, or look there by hand", ""},
	PodUnready:       {Error, "Callers' pods have a proxy, and run under the identity that the policy trusts.", "roll the pods out first, or set on_unready: warn", "DD-0025, phase 5"},
	PodUnprotected:   {Warning, "The pods that a policy protects have a proxy.", "roll the pods out: without a proxy nothing enforces the policy", "DD-0025, section 9"},

	HostWildcard:       {Error, "A wildcard host is one that the Gateway and the VirtualService use already.", "name the hosts, or put the wildcard into Gateway and VirtualService first", "DD-0025 §3"},
	HostWildcardPorts:  {Warning, "A wildcard host lists the ports that clients write in Host, for no pattern matches them all.", "list them in hostPorts", "istio/istio#39810"},
	HostPrefix:         {Error, "The hosts of one server share one namespace prefix.", "give all hosts of the server the same prefix", ""},
	HostMismatch:       {Error, "Gateway and VirtualService serve the hosts that the policy admits.", "let host-policy-generator write them, or correct the owner's object", "DD-0025 §3"},
	HostServer:         {Error, "Servers that a route names exist.", "correct the server's port name in the model or in the Gateway", ""},
	RouteUnbound:       {Error, "A Gateway's selector matches the pods of its gateway.", "make the Gateway's selector that of the gateway's pods", "istio/istio#42911"},
	GatewayAllowOpen:   {Error, "No ALLOW policy of a gateway has an empty rule or one without hosts.", "remove the policy or the rule: ALLOW policies are a union, so it voids the host list", "DD-0025, static test 6"},
	GatewayAllowWider:  {Error, "No other ALLOW policy admits hosts that the model doesn't give the gateway.", "add the host to the model, or remove it from the policy", "DD-0025 §3"},
	GatewayLockedOut:   {Error, "A gateway without a host policy isn't under an ALLOW policy without rules, which admits nobody.", "remove that policy first, or keep the gateway enforced", "kubeflow global-deny-all"},
	GatewaySelector:    {Error, "A gateway's policy selects the pods of its Deployment.", "make the selector in the model match the pod template's labels", "istio/istio#42911"},
	GatewayPassthrough: {Warning, "Servers of an enforced gateway speak HTTP: a policy of hosts denies all TCP and TLS-passthrough traffic.", "terminate TLS at the gateway, or serve the port from another gateway", "istio/istio#26626"},
	ConsumerContainer:  {Error, "The container that the model names for a consumer exists.", "correct the container's name", ""},

	IdentityShared:      {Error, "A principal that a policy trusts is used by exactly the workloads that the model names.", "give the other workload a ServiceAccount of its own", "DD-0025 §4, static test 13"},
	IdentityGateway:     {Error, "A gateway runs under its own ServiceAccount.", "run identity-splitter, or set serviceAccountName", "DD-0025, static test 7"},
	IdentityRenamed:     {Error, "An identity in use is renamed in two steps: trust both, then drop the old one.", "add the old name to previousServiceAccountNames, roll out, and drop it in a later step", "DD-0025, data model"},
	IdentityPullSecrets: {Warning, "A new ServiceAccount has the imagePullSecrets of the one it replaces.", "add the old ServiceAccount to the build, or put imagePullSecrets on the pod template", ""},
	IdentityBinding:     {Error, "Bindings that the model names are in the build of the workload's owner.", "add the binding to the build, or correct roleBindingRefs", "DD-0025 §4"},
	PrincipalNowhere:    {Error, "Every principal in a policy is a ServiceAccount that some build or the model knows.", "correct the principal, or add its ServiceAccount", "DD-0025 §4"},
	PrincipalElsewhere:  {Info, "Principals of other owners resolve by the model, not by this build.", "", ""},

	EnrollHostNetwork:      {Error, "Enrolled pods have a network of their own.", "set enroll: false, or hostNetwork: false", "istio/istio#9002"},
	EnrollJobNeverEnds:     {Error, "Enrolled Jobs run where proxies are native sidecars.", "set istio.nativeSidecars: true where istiod has ENABLE_NATIVE_SIDECARS, or enroll: false", "istio/istio#11659"},
	EnrollInitNetwork:      {Warning, "Init containers of enrolled pods run where proxies are native sidecars.", "set istio.nativeSidecars: true where istiod has ENABLE_NATIVE_SIDECARS", "istio/istio#23802"},
	EnrollUnreachable:      {Error, "Istio's webhook sees the label of enrolled pods.", "remove the label that hides them, or make its revision the environment's", "istio/istio#32388"},
	EnrollUnknownNamespace: {Warning, "With a revision, the namespace of enrolled pods is in the build or their template names the revision.", "put istio.io/rev on the pod template, or the namespace into the build", "istio/istio#32388"},
	EnrollNamespaceWide:    {Error, "Platform namespaces don't enroll every pod.", "remove the label: the model enrolls pod templates one by one", "DD-0025 §2.2"},
	EnrollPortNotCaptured:  {Error, "Annotations keep no policy port out of the proxy.", "take the port out of the annotation", "Istio traffic annotations"},
	EnrollUnexpected:       {Error, "Only the pod templates that the model enrolls carry the label.", "remove the label, or enroll the workload in the model", "DD-0025, static tests 8, 9 and 12"},

	PortUnknown:         {Error, "Policy ports are ones that the workload listens on.", "write the container's port in the model", "istio/istio#49098"},
	PolicyAttributes:    {Error, "Policies of workloads hold principals and ports alone.", "remove the other attributes: they need a design of their own", "DD-0025, static test 11"},
	PolicyUnexpected:    {Error, "Below enforced there are no policies and STRICT PeerAuthentications for the model's workloads.", "remove it, or raise the profile", "DD-0025, static tests 8 to 10"},
	PolicySelector:      {Error, "Selectors match the labels of rendered pods.", "make the model's selector and the pod template's labels agree", "istio/istio#42911"},
	PolicySelectsOthers: {Warning, "A policy selects the pods of its own workload alone.", "tell the workloads' labels apart", "DD-0025 §5"},
	WorkloadAllowWider:  {Error, "No other ALLOW policy admits more callers to a workload than the model does.", "add the caller to the model, or remove the policy: ALLOW policies are a union", "istio/istio#37364"},
	WorkloadPeerMode:    {Error, "No other PeerAuthentication contends with ours for a workload.", "remove it: among several of one level the oldest wins, which no one can see offline", "Istio PeerAuthentication"},

	EdgeDenied:  {Error, "What the objects admit holds every edge of the model.", "let it in, or correct the model: ask `ringfence access explain` for each step", "DD-0025 §5"},
	EdgeOpen:    {Error, "What the objects admit holds no edge that the model lacks.", "remove what lets it in, or add the caller to the model", "DD-0025 §5"},
	EdgePort:    {Warning, "Pods take nothing in on ports that the model doesn't name.", "add the port to the model, or let the proxy capture it", "DD-0025 §5"},
	EdgeUnknown: {Warning, "Everything that decides who reaches whom can be known offline.", "ask `ringfence access explain` what it hangs on", "DD-0025 §5"},

	AccessTestFailed:  {Error, "Every case of an AccessTest gets the answer that it expects.", "correct what decides, or the case: ask `ringfence access explain` for each step", "DD-0025, end-to-end cases"},
	AccessTestMissing: {Error, "What a case of an AccessTest names is there to be asked.", "correct the name or the port, or remove the case", "DD-0025, end-to-end cases"},
	AccessTestAsked:   {Info, "AccessTests were asked.", "", "DD-0025, end-to-end cases"},

	TenantSelectorKey:    {Error, "Tenant workloads carry the labels that their policy selects by.", "add the label to the pod template", "DD-0025 §9"},
	TenantPort:           {Error, "The port of a tenant workload, its server's argument and its Service's targetPort agree.", "make them agree", "DD-0025 §9"},
	TenantPolicyInert:    {Warning, "Tenant workloads have a proxy to hold their policy.", "enroll the workload or its namespace", "DD-0025 §9"},
	TenantUnconstrained:  {Error, "No ALLOW policy of a tenant namespace has a rule that admits everybody.", "constrain the rule by source, or remove it", "DD-0025, static test 14"},
	TenantNamespace:      {Warning, "The namespaces of tenant workloads are in the build, so that their labels can be read.", "put the Namespace into the build", "DD-0025 §9"},
	TenantProxyConfig:    {Error, "The proxy configuration of a tenant workload can be read.", "correct the annotation", "DD-0025 §9"},
	TenantPolicyClash:    {Error, "A tenant workload belongs to one entry of one group, and its policy's name to it alone.", "rename one of the two workloads, exclude one from the group, or tell the selectors apart", "DD-0025 §9"},
	TenantDeploymentMode: {Warning, "KServe deploys tenants' InferenceServices as plain Deployments, whose pods take the requests themselves.", "set serving.kserve.io/deploymentMode to RawDeployment (Standard in newer versions), or exclude the InferenceService", "KServe"},

	ApplicationPrune:       {Warning, "Argo CD Applications prune, so that what is no longer derived leaves the cluster.", "set syncPolicy.automated.prune: true", "DD-0025, rollback"},
	ApplicationEnvironment: {Error, "An Application registers overlays of its own environment.", "correct the path, or register the overlay in its own environment", "DD-0025 §1"},
	ApplicationComponent:   {Error, "An Application of a production environment registers overlays that include both security components.", "include the missing component in the overlay before it is registered", "DD-0025 §1"},

	ParityProfile:        {Error, "GitOps renders the inventory's security profile.", "make the inventory's security_profile and the components of the overlays agree, and render again", "DD-0025, section 1"},
	ParityHost:           {Error, "Gateways, VirtualServices and the policies of gateways hold the hosts of the inventory.", "make the inventory's dns and the Environment agree, and render again", "DD-0025, section 3"},
	ParityConsumer:       {Error, "Environment variables hold the host and the principal that the inventory gives.", "make the inventory's dns and the Environment agree, and render again", "DD-0025, section 3"},
	ParityTrustDomain:    {Error, "Principals in policies are of the inventory's trust domain.", "make the inventory's trust_domain and the Environment agree, and render again", "DD-0025, data model"},
	ParityVersion:        {Error, "Istio's charts and images are of the inventory's version.", "bring the inventory's istio_version and what is rendered to one version", "DD-0025, section 2"},
	ParityVersionUnknown: {Error, "Istio's charts and images say their version.", "name one version: a tag, beside a digest where there is one, and no range", "DD-0025, section 2"},
	ParityMissing:        {Error, "What the model gives to the owners of GitOps is in the rendered files.", "render every application of the environment and name all their files, narrow the comparison to some owners, or list the entry as absent in the Environment", "DD-0025, section 1"},
	ParityNothing:        {Error, "There is something to compare.", "name other owners, or leave the task out here", ""},
}

package model_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

const platformDir = "../../overlays/platform"

func TestPlatformOfTheOverlays(t *testing.T) {
	text, err := os.ReadFile(platformDir + "/model/model.yaml")
	require.NoError(t, err)
	environments, err := filepath.Glob(platformDir + "/environments/*/environment.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, environments)
	for _, file := range environments {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			environment, err := os.ReadFile(file)
			require.NoError(t, err)
			models, findings := model.ParseDocuments("model.yaml", text)
			require.Empty(t, findings)
			docs, findings := model.ParseDocuments(file, environment)
			require.Empty(t, findings)
			request, findings := model.Parse(model.Documents{Models: models, Environments: docs}, v1alpha1.RingfenceSpec{Owner: "themelio"})
			require.Empty(t, said(findings))
			requireValid(t, request)
			p := request.Platform
			assert.Equal(t, "platform", p.Name)
			assert.Len(t, p.Gateways, 13)
			assert.Len(t, p.Workloads, 6)
			union, findings := model.ParseUnion(model.Documents{Models: models, Environments: docs})
			require.Empty(t, said(findings))
			assert.Equal(t, p, union)
		})
	}
}

// The defaults are those that the wire types' comments promise.
func TestDefaults(t *testing.T) {
	request, findings := parse(t, []byte(modelText), []byte(environmentText))
	require.Empty(t, said(findings))
	p := request.Platform
	edge, web, batch := p.Gateways[0], p.Workloads[0], p.Workloads[2]
	assert.Equal(t, "istio-system", edge.Namespace)
	assert.Equal(t, "edge", edge.Deployment)
	assert.True(t, edge.HostPolicy)
	assert.Equal(t, map[string]string{"app": "edge"}, edge.Selector)
	assert.Equal(t, "shop", edge.Routes[0].Owner)
	assert.Equal(t, edge.Hosts, edge.Routes[0].Hosts)
	assert.Equal(t, "Deployment shop/web", web.TargetRefs[0].String())
	assert.Equal(t, map[string]string{"app": "web"}, web.Selector)
	assert.Equal(t, "web-allow-callers", web.PolicyName)
	assert.Equal(t, "web-strict-mtls", web.PeerAuthenticationName)
	assert.Equal(t, "cluster.local/ns/shop/sa/web", web.Identity.Principal.String())
	assert.False(t, batch.Protected)
	assert.Equal(t, "Job shop/batch", batch.TargetRefs[0].String())
	assert.Equal(t, "inner.example.org", p.Consumers[0].Value)

	environment := edited(t, environmentText, []edit{{"  istio: {version: 1.31.4, trustDomain: cluster.local}\n", ""}})
	request, findings = parse(t, []byte(modelText), environment)
	require.Empty(t, said(findings))
	assert.Equal(t, model.Istio{TrustDomain: web.Identity.Principal.TrustDomain(), TrustDomainAliases: []model.TrustDomain{}, RootNamespace: "istio-system"}, request.Platform.Istio)
}

func TestCallers(t *testing.T) {
	cases := map[string]struct {
		reason      string
		model       []edit
		environment []edit
		callers     []string
		principals  []string
	}{
		"in-the-order-written": {"the DD's order is no alphabetical one", []edit{{"[{workload: web}, {workload: batch}]", "[{workload: web}, {gateway: edge}, {principal: cluster.local/ns/a/sa/b}, {workload: batch}]"}}, nil,
			[]string{"workload web", "gateway edge", "principal cluster.local/ns/a/sa/b", "workload batch"},
			[]string{"cluster.local/ns/shop/sa/web", "cluster.local/ns/istio-system/sa/edge-service-account", "cluster.local/ns/a/sa/b", "cluster.local/ns/shop/sa/batch"}},
		"of-a-rename": {"both are trusted, the new one first", []edit{{"serviceAccountName: web", "serviceAccountName: web\n    previousServiceAccountNames: [first, second]"}}, nil,
			[]string{"workload web", "workload batch"},
			[]string{"cluster.local/ns/shop/sa/web", "cluster.local/ns/shop/sa/first", "cluster.local/ns/shop/sa/second", "cluster.local/ns/shop/sa/batch"}},
		"of-another-trust-domain": {"they are the mesh's", nil, []edit{{"trustDomain: cluster.local", "trustDomain: mesh.example"}},
			[]string{"workload web", "workload batch"}, []string{"mesh.example/ns/shop/sa/web", "mesh.example/ns/shop/sa/batch"}},
		"none": {"nobody", []edit{{"[{workload: web}, {workload: batch}]", "[]"}}, nil, nil, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			request, findings := parse(t, edited(t, modelText, c.model), edited(t, environmentText, c.environment))
			require.Empty(t, said(findings))
			api := request.Platform.Workloads[1]
			require.True(t, api.Protected)
			var callers, principals []string
			for _, caller := range api.Callers {
				callers = append(callers, caller.String())
				for _, p := range caller.Principals() {
					principals = append(principals, p.String())
				}
			}
			assert.Equal(t, c.callers, callers, c.reason)
			assert.Equal(t, c.principals, principals, c.reason)
		})
	}
}

// What this environment doesn't have gets no values and gives none.
func TestAbsent(t *testing.T) {
	environment := edited(t, environmentText, []edit{{"absent: {}", "absent: {workloads: [web, batch], gateways: [edge, inner]}"}, {"    web: [web.example.org]\n    inner: [inner.example.org]\n", "    other: []\n"}})
	request, findings := parse(t, []byte(modelText), environment)
	require.Equal(t, []string{"info: environment.yaml:10: Environment staging: spec.dns.other: no hostRef of the model names it [input-unused]; remove it where nothing else reads it"}, said(findings))
	requireValid(t, request)
	p := request.Platform
	assert.True(t, p.Gateways[0].Absent)
	assert.Empty(t, p.Gateways[0].Hosts)
	assert.Empty(t, p.Consumers[0].Value, "its gateway isn't there")
	api := p.Workloads[1]
	assert.False(t, api.Absent)
	assert.True(t, api.Protected, "nobody may call, which is no reason to let everybody")
	assert.Len(t, api.Callers, 2)
	assert.False(t, slices.ContainsFunc(api.Callers, func(c model.Caller) bool { return !c.Absent() }))

	environment = edited(t, environmentText, []edit{{"absent: {}", "absent: {workloads: [api]}"}})
	request, findings = parse(t, []byte(modelText), environment)
	require.Empty(t, said(findings))
	assert.Empty(t, request.Platform.Consumers[0].Value, "its target isn't there")
}

func TestOverrides(t *testing.T) {
	environment := edited(t, environmentText, []edit{{"absent: {}", "overrides: [{workload: api, securityProfile: permissive}, {gateway: edge, securityProfile: open}]"}})
	request, findings := parse(t, []byte(modelText), environment)
	require.Empty(t, said(findings))
	p := request.Platform
	assert.Equal(t, []model.Override{{Section: "workloads", Name: "api", Profile: model.Permissive}, {Section: "gateways", Name: "edge", Profile: model.Open}}, p.Overrides)
	assert.Equal(t, model.Enforced, p.Workloads[0].Profile)
	assert.Equal(t, model.Permissive, p.Workloads[1].Profile)
	assert.True(t, p.Workloads[1].Enrolled())
	assert.Equal(t, model.Open, p.Gateways[0].Profile)
}

// config is a functionConfig that embeds the documents given.
func config(t *testing.T, owner string, documents map[string]string) *model.Document {
	t.Helper()
	text := "apiVersion: ringfence.dev/v1alpha1\nkind: Ringfence\nmetadata: {name: ringfence}\nspec:\n  owner: " + owner + "\n  components: [security-baseline]\n"
	for field, document := range documents {
		_, body, _ := strings.Cut(document, "metadata:")
		text += "  " + field + ":\n    metadata:" + strings.ReplaceAll(strings.TrimRight(body, "\n"), "\n", "\n    ") + "\n"
	}
	docs, findings := model.ParseDocuments("", []byte(text))
	require.Empty(t, said(findings))
	require.Len(t, docs, 1)
	return &docs[0]
}

func TestSources(t *testing.T) {
	documents := func(file string, texts ...string) []model.Document {
		docs, findings := model.ParseDocuments(file, []byte(strings.Join(texts, "---\n")))
		require.Empty(t, said(findings))
		return docs
	}
	models, environments := documents("model.yaml", modelText), documents("environment.yaml", environmentText)
	both := map[string]string{"model": modelText, "environment": environmentText}
	other := strings.Replace(environmentText, "tier: staging", "tier: dev", 1)
	reordered := strings.Replace(strings.Replace(environmentText, "  tier: staging\n", "", 1), "  absent: {}\n", "  absent: {gateways: []}\n  overrides: []\n  tier: staging\n", 1)
	nobody := strings.Replace(modelText, "    targetRefs: [{kind: Job, name: batch}]\n", "    targetRefs: [{kind: Job, name: batch}]\n    ports: [{port: 1}]\n    callers: []\n", 1)
	noPolicy := strings.Replace(nobody, "    callers: []\n", "", 1)
	mistaken := map[string]string{
		"model":       strings.Replace(modelText, "serviceAccountName: web", "serviceAccount: web", 1),
		"environment": strings.Replace(environmentText, "web.example.org", "web.example.org:80", 1),
	}
	cases := map[string]struct {
		reason string
		docs   model.Documents
		config v1alpha1.RingfenceSpec
		said   []string
	}{
		"files": {"a command's", model.Documents{Models: models, Environments: environments}, v1alpha1.RingfenceSpec{Owner: "shop"}, nil},
		"files-without-owner": {"whose?", model.Documents{Models: models, Environments: environments}, v1alpha1.RingfenceSpec{}, []string{
			`owner: it is empty, so nothing would be derived; the model's owners are shop, roles, vendor [owner-missing]; name one with --owner`,
		}},
		"files-other-owner": {"a typo", model.Documents{Models: models, Environments: environments}, v1alpha1.RingfenceSpec{Owner: "shoe"}, []string{
			`owner: "shoe" is none of the model's owners; did you mean "shop"? [input-undefined-reference]; correct the name, or add the entry`,
		}},
		"config": {"kustomize's", model.Documents{Config: config(t, "shop", both)}, v1alpha1.RingfenceSpec{}, nil},
		"config-no-owner": {"a patch that misses its target leaves it empty", model.Documents{Config: config(t, `""`, both)}, v1alpha1.RingfenceSpec{}, []string{
			`Ringfence ringfence: spec.owner: it is empty, so nothing would be derived; the model's owners are shop, roles, vendor [owner-missing]; set spec.owner; a kustomize patch that misses its target leaves it empty`,
		}},
		"config-number": {"an owner that looks like a number", model.Documents{Config: config(t, `8000`, both)}, v1alpha1.RingfenceSpec{}, []string{
			`Ringfence ringfence: spec.owner: "8000" is a number where a string belongs [input-wrong-type]; quote it: "8000"`,
		}},
		"config-and-items": {"both say the same, in another order", model.Documents{Config: config(t, "shop", both), Environments: documents("", reordered)}, v1alpha1.RingfenceSpec{}, nil},
		"config-or-items":  {"each gives one", model.Documents{Config: config(t, "shop", map[string]string{"model": modelText}), Environments: documents("", environmentText)}, v1alpha1.RingfenceSpec{}, nil},
		"items-unequal": {"which one?", model.Documents{Config: config(t, "shop", both), Environments: documents("", other)}, v1alpha1.RingfenceSpec{}, []string{
			`Environment staging: spec.tier: it is a second Environment, and spec.environment of Ringfence ringfence says something else there [input-ambiguous]; give one, or make both say the same`,
		}},
		"items-one-more": {"which one?", model.Documents{Config: config(t, "shop", both), Models: documents("", strings.Replace(modelText, "  gateways:", "  - {name: more, tool: GitOps}\n  gateways:", 1))}, v1alpha1.RingfenceSpec{}, []string{
			`AccessModel platform: spec.owners[3]: it is a second AccessModel, and spec.model of Ringfence ringfence says something else there [input-ambiguous]; give one, or make both say the same`,
		}},
		"items-other-host": {"which one?", model.Documents{Config: config(t, "shop", both), Environments: documents("", strings.Replace(environmentText, "web: [web.example.org]", "web: [web.example.com]", 1))}, v1alpha1.RingfenceSpec{}, []string{
			`Environment staging: spec.dns.web[0]: it is a second Environment, and spec.environment of Ringfence ringfence says something else there [input-ambiguous]; give one, or make both say the same`,
		}},
		"items-one-host-more": {"which one?", model.Documents{Config: config(t, "shop", both), Environments: documents("", strings.Replace(environmentText, "    web:", "    api: []\n    web:", 1))}, v1alpha1.RingfenceSpec{}, []string{
			`Environment staging: spec.dns.api: it is a second Environment, and spec.environment of Ringfence ringfence says something else there [input-ambiguous]; give one, or make both say the same`,
		}},
		"items-twice": {"which one?", model.Documents{Config: config(t, "shop", nil), Models: documents("", modelText, strings.Replace(modelText, "name: platform", "name: other", 1)), Environments: environments}, v1alpha1.RingfenceSpec{}, []string{
			`AccessModel other: metadata.name: it is a second AccessModel, and AccessModel platform is called "platform" [input-ambiguous]; give one, or make both say the same`,
		}},
		"files-unequal": {"which one?", model.Documents{Models: models, Environments: append(documents("a.yaml", environmentText), documents("b.yaml", other)...)}, v1alpha1.RingfenceSpec{Owner: "shop"}, []string{
			`b.yaml:5: Environment staging: spec.tier: it is a second Environment, and Environment staging in a.yaml says something else there [input-ambiguous]; give one, or make both say the same`,
		}},
		"nobody-or-no-policy": {"an empty list of callers is none that is missing", model.Documents{Models: append(documents("a.yaml", nobody), documents("b.yaml", noPolicy)...), Environments: environments}, v1alpha1.RingfenceSpec{Owner: "shop"}, []string{
			`b.yaml:35: AccessModel platform: spec.workloads[2].callers: workload "batch": it is a second AccessModel, and AccessModel platform in a.yaml says something else there [input-ambiguous]; give one, or make both say the same`,
		}},
		"no-environment": {"nothing to derive from", model.Documents{Models: models}, v1alpha1.RingfenceSpec{Owner: "shop"}, []string{
			`no Environment was given [input-missing]; put it into spec.environment of the functionConfig, among the items, or into a file that --environment names`,
		}},
		"nothing": {"nothing to derive from", model.Documents{}, v1alpha1.RingfenceSpec{Owner: "shop"}, []string{
			`no AccessModel was given [input-missing]; put it into spec.model of the functionConfig, among the items, or into a file that --model names`,
			`no Environment was given [input-missing]; put it into spec.environment of the functionConfig, among the items, or into a file that --environment names`,
		}},
		"embedded-mistakes": {"paths are those of the text that was given; it has no lines", model.Documents{Config: config(t, "shop", mistaken)}, v1alpha1.RingfenceSpec{}, []string{
			`Ringfence ringfence: spec.environment.spec.dns.web[0]: the host "web.example.org:80" can't be used: it has a port: an exact host admits every port, a wildcard those of hostPorts [input-host]; write the host name alone`,
			`Ringfence ringfence: spec.model.spec.workloads[0].serviceAccount: workload "web": there is no such field; did you mean "serviceAccountName"? [input-unknown-field]; correct its spelling, or remove it`,
			`Ringfence ringfence: spec.model.spec.workloads[0].serviceAccountName: workload "web": it is required [input-missing]; add it`,
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			request, findings := model.Parse(c.docs, c.config)
			check(t, c.reason, c.said, findings)
			if len(c.said) == 0 {
				requireValid(t, request)
			}
		})
	}
}

package model_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// FuzzParse reads any text as the documents of a run: it ends, each finding is
// one that a person can follow, and an input without errors is valid.
func FuzzParse(f *testing.F) {
	f.Add([]byte(modelText + "---\n" + environmentText))
	f.Add([]byte(environmentText + "---\n" + modelText + "---\n" + environmentText))
	f.Add([]byte("apiVersion: ringfence.dev/v1alpha1\nkind: Ringfence\nmetadata: {name: a}\nspec: {owner: shop, units: [x], strict: true}\n---\n" + modelText + "---\n" + environmentText))
	f.Add([]byte(modelText + "---\n" + environmentText + "---\n" + testText))
	f.Add([]byte(modelText + "---\n" + environmentText + "---\n" + testText + "---\n" + strings.Replace(testText, "Denied", "Allowed", 1)))
	text, err := os.ReadFile(platformDir + "/model/model.yaml")
	require.NoError(f, err)
	environment, err := os.ReadFile(platformDir + "/environments/staging/environment.yaml")
	require.NoError(f, err)
	f.Add([]byte(string(text) + "---\n" + string(environment)))
	for _, edits := range [][]edit{
		{{"callers: [{gateway: edge}]", "callers: &c [{gateway: edge}, *c]"}},
		{{"owners:", "<<: *x\n  ? [a]\n  : b\n  owners: &x"}},
		{{"name: web\n", "name: !!binary eA==\n"}, {"port: 3000", "port: 0x1F"}},
		{{"selector", "exclude: [{selector: {}}]\n    selector"}},
		{{"workloads:", "workloads:\n  - {name: a, namespace: shop, owner: shop, serviceAccountName: web, podTemplateSelector: {matchExpressions: [{key: a, operator: Exists}]}}"}},
	} {
		broken := modelText
		for _, e := range edits {
			broken = strings.Replace(broken, e.old, e.new, 1)
		}
		f.Add([]byte(broken + "---\n" + environmentText))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, findings := model.ParseDocuments("input.yaml", data)
		requireSayable(t, findings)
		var documents model.Documents
		for i, doc := range docs {
			if !documents.Add(doc) {
				documents.Config = &docs[i]
			}
		}
		request, findings := model.Parse(documents, v1alpha1.RingfenceSpec{Owner: "shop"})
		requireSayable(t, findings)
		if !findings.Failed() {
			requireValid(t, request)
		}
		_, again := model.Parse(documents, v1alpha1.RingfenceSpec{Owner: "shop"})
		require.Equal(t, findings, again, "the same input gives the same findings")
	})
}

// FuzzHost reads any text as a host: what is accepted is a DNS name that stays as it is.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"web.example.org", "*.Bücher.example.", "xn--bcher-kva.example", "10.0.0.1", "a/b", "web：80", "ａ.b", "\u00ad.x", "a\u200d.b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, err := model.ParseHost(s)
		if err != nil {
			require.True(t, host.IsZero())
			require.NotEmpty(t, err.Error())
			return
		}
		require.Empty(t, strings.Trim(strings.TrimPrefix(host.String(), "*."), "abcdefghijklmnopqrstuvwxyz0123456789-."))
		again, err := model.ParseHost(host.String())
		require.NoError(t, err)
		require.Equal(t, host, again)
		require.True(t, host.Covers(again))
	})
}

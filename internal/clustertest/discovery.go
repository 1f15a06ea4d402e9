package clustertest

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
)

// discovery returns the document at a path of discovery, nil for other paths.
func (s *Server) discovery(path string) any {
	switch path = strings.TrimSuffix(path, "/"); path {
	case "/version":
		return version.Info{Major: "1", Minor: "35", GitVersion: "v1.35.4", Platform: "linux/amd64"}
	case "/api":
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}
	case "/apis":
		return metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: s.groups()}
	case "/api/v1":
		return s.resources("", "v1")
	}
	parts := strings.Split(path, "/")
	if len(parts) < 3 || len(parts) > 4 || parts[1] != "apis" {
		return nil
	}
	for _, group := range s.groups() {
		if group.Name != parts[2] {
			continue
		}
		if len(parts) == 3 {
			group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
			return group
		}
		if slices.ContainsFunc(group.Versions, func(v metav1.GroupVersionForDiscovery) bool { return v.Version == parts[3] }) {
			return s.resources(parts[2], parts[3])
		}
	}
	return nil
}

// groups returns the groups that are served, each with its versions.
func (s *Server) groups() []metav1.APIGroup {
	var out []metav1.APIGroup
	for _, k := range s.kinds {
		if k.group == "" {
			continue
		}
		i := slices.IndexFunc(out, func(g metav1.APIGroup) bool { return g.Name == k.group })
		if i < 0 {
			i = len(out)
			out = append(out, metav1.APIGroup{Name: k.group})
		}
		for _, v := range k.versions {
			entry := metav1.GroupVersionForDiscovery{GroupVersion: k.group + "/" + v, Version: v}
			if !slices.Contains(out[i].Versions, entry) {
				out[i].Versions = append(out[i].Versions, entry)
			}
		}
		out[i].PreferredVersion = out[i].Versions[0]
	}
	return out
}

func (s *Server) resources(group, version string) metav1.APIResourceList {
	out := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, APIResources: []metav1.APIResource{}}
	for i := range s.kinds {
		k := &s.kinds[i]
		if k.group != group || !slices.Contains(k.versions, version) {
			continue
		}
		out.GroupVersion = k.in(version).GroupVersion().String()
		out.APIResources = append(out.APIResources, k.discovered()...)
	}
	return out
}

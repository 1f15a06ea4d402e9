package manifest

import (
	"maps"
	"slices"
	"strings"

	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// styles are objects, each written in ways that people and tools write YAML.
var styles = map[string]string{
	"as kustomize writes": `apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    config.kubernetes.io/index: '0'
    kustomize.config.k8s.io/id: |
      group: apps
      kind: Deployment
      name: web
      version: v1
  labels:
    app: web
  name: web
  namespace: themelio
spec:
  template:
    spec:
      containers:
      - args:
        - --a=b
        - '{}'
        - ""
        command:
        - sh
        - -c
        - "echo hi; \n\techo there"
        env:
        - name: "y"
          value: "true"
        image: nginx:1.27
        name: web
        ports:
        - containerPort: 8080
        volumeMounts: []
      volumes:
      - emptyDir: {}
        name: tmp
`,
	"as kpt writes": `# about
apiVersion: v1 # v1
kind: ConfigMap
metadata: {name: cm, labels: {app: web}, annotations: {config.kubernetes.io/index: '0', "a/b": 'it''s'}} # line
data:
  # head of a
  a: |
    x
      y

    z
  b: >-
    folded text


    more
  c: "multi line"
  d: plain multi
  # foot
`,
	"wide sequences, blank lines": `kind: "Role"
apiVersion: 'rbac.authorization.k8s.io/v1'

metadata:
    name:   reader


    namespace: default
rules:
  - apiGroups: [""]
    resources: ["pods", 'services', nodes/proxy, a:b]

    verbs:
      - get
      -   list
  -
    verbs: [ '*' ]
  # last
`,
	"multi-line scalars": `apiVersion: v1
kind: ConfigMap
metadata:
  name: text
data:
  plain: first line
    second line, "quoted" - and [all]

    after a blank line # a comment
  double: "first \
    joined \"and\"
      folded

    last\u00e9"
  single: 'it''s
    folded: too # no comment
    '
  next:
    on the next line
    and another
  keep: |+2
    two

      deeper

  empty: |
  strip: >1-

   text
  tabs: |
    #!/bin/sh
    	tabbed
    # no comment
`,
	"sequences of sequences": `apiVersion: v1
kind: Odd
metadata:
  name: odd
a:
- - x
  - - y
    - z: 1
      w:
      - 2
-
  - u
  -
    v: ~
- |
  block
-
b: -1
"quoted key": 1
'another: one': 2
c: http://x:80/#frag
d: a#b
`,
	"anchors": `apiVersion: v1
kind: Service
metadata: &m
  name: shared
  labels: &l {app: web}
spec:
  selector: *l
  copy:
    <<: *m
    name: other
`,
	"comments everywhere": `# licence
#
#   indented

apiVersion: v1
# between
kind: Pod
    # odd indentation
metadata:
  # in
  name: p # after
# out
  namespace: n
spec:
  list:
  # one
  - a # two
    # three
  - # four
    b: c
# end
`,
	"JSON": `{"apiVersion": "v1", "kind": "Secret",
 "metadata": {"name": "j", "labels": {"a": "b"}}, "list": [1, true, null]}
`,
	"windows":                  "apiVersion: v1\r\nkind: A\r\nmetadata:\r\n  name: crlf\r\ndata: |\r\n  a\r\n  b\r\n\r\nend: 'x\r\n  y'\r\n",
	"no line break at the end": "apiVersion: v1\nkind: B\nmetadata:\n  name: open\ndata: |\n  text",
	"kept lines at the end":    "apiVersion: v1\nkind: C\nmetadata:\n  name: kept\ndata: |+\n  text\n\n\n",
	"tags":                     "apiVersion: v1\nkind: !!str D\nmetadata:\n  name: !!str 123\ndata: !!binary aGk=\n",
	"numbers and dates":        "apiVersion: v1\nkind: E\nmetadata:\n  name: 2024-01-02\na: 010\nb: 0x1F\nc: 1_000\nd: .5\ne: 1e3\nf: yes\ng: ~\nh: 2001-12-14t21:59:43Z\n",
}

// frames are lists, written in ways that tools and people write them.
var frames = map[string]string{
	"as kustomize writes": `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: A
  metadata:
    name: a
- apiVersion: v1
  kind: B
  metadata:
    name: b
functionConfig:
  apiVersion: ringfence.dev/v1alpha1
  kind: Ringfence
  metadata:
    name: x
`,
	"wide, comments, results": `# head
---
kind: ResourceList
functionConfig: # conf
  a: b
# before items
items: # the items

  # of a
  - # about a
    apiVersion: v1
    kind: A
    metadata:
      name: a
    list:
      - 1

  # of b
  - kind: B

# after items
"apiVersion": 'config.kubernetes.io/v1'
results:
  - message: old
other: [1, 2]
# tail
...
`,
	"empty list":      "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [] # none\n",
	"null list":       "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\nfunctionConfig: null\n",
	"no list":         "apiVersion: config.kubernetes.io/v1\nkind: ResourceList",
	"no line break":   "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: A",
	"block at end":    "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: A\n  data: |\n    x",
	"config at end":   "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: A\nfunctionConfig:\n  data: |\n    x",
	"JSON":            `{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [{"kind": "A"}, {"kind": "B", "data": {"x": "y"}}]}`,
	"crossing anchor": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: A\n  labels: &l\n    a: b\n- kind: B\n  labels: *l\n",
	"odd quotes":      "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: \"A\n- kind: B\"\n",
	"flow items":      "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {kind: A}\n- {kind: B,\n   x: [1,\n 2]}\n# c\n",
}

// once are texts that this package, or kyaml's writer, once got wrong.
var once = map[string]struct{ stream, list string }{
	"a tab before a colon":              {list: head + "items\t:\n- kind: A\n"},
	"an end mark first":                 {list: "...\n" + head},
	"text after an end mark":            {stream: "kind: A\n---\nkind: B\n... name: y\n# end\n---\nkind: C\n"},
	"a line separator in a comment":     {stream: "---\n# a\u2028b\n#\nkind: A\n---\nkind: B\n"},
	"a lone carriage return":            {stream: "kind: A\n---\nkind: B\na: \r\"b\"\n"},
	"a column left of the usual one":    {list: head + "items:\n- # c\n\n kind: A\n- kind: B\n"},
	"a key that begins by a mark":       {list: head + "items:\n- kind: A\n  --- b: c\n"},
	"a mark inside quotes":              {list: head + "items:\n- kind: A\n  b: 'c\n --- d'\n"},
	"metadata in flow style":            {stream: "kind: A\nmetadata: {name: a}\n"},
	"a comment below a block scalar":    {list: head + "items:\n- kind: A\n    # deep\n- kind: B\n      # deeper\n"},
	"blank lines below kept ones":       {stream: "kind: A\n---\nkind: B\na: |+\n b\n---\n\nkind: C\n"},
	"an end mark below a blank line":    {stream: "---\n# a\n\nkind: A\n\n...\n# end\n---\nkind: B\n"},
	"null in flow style":                {stream: "kind: A\na: {b, c: }\n---\nkind: B\n"},
	"no key":                            {list: head + "items:\n- {kind: A}\n- ?"},
	"more-indented lines in a fold":     {stream: "---\nkind: A\n---\nkind: B\na: >-\n   b\n     c\n   \td\n   \n"},
	"a line separator in a block":       {list: head + "items:\n- kind: A\n- kind: B\n  a: |+\n   b\n\u2028    c: |\n"},
	"a tagged merge key":                {stream: "kind: A\na: &a {b: c}\nd:\n  !t <<: *a\n"},
	"a merge key at the top":            {list: "<<: {apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [{kind: A}]}"},
	"a byte order mark inside the text": {stream: "---\n\ufeffkind: A\n"},
}

// listOf puts an object into a ResourceList, twice.
func listOf(object string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(object, "\n"), "\n")
	entry := "- " + strings.Join(lines, "  ")
	if strings.HasSuffix(object, "\n") {
		entry += "\n"
	}
	first := entry
	if !strings.HasSuffix(object, "\n") {
		first += "\n"
	}
	return "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + first + entry
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// annotate changes any object.
func annotate(n *kyaml.RNode) error {
	return n.PipeE(kyaml.SetAnnotation("ringfence.dev/test", "yes"))
}

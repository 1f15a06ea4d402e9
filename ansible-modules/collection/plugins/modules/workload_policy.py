#!/usr/bin/python
# -*- coding: utf-8 -*-

# SPDX-FileCopyrightText: The Ringfence authors
# SPDX-License-Identifier: Apache-2.0

# Generated from the tables in ansible-modules by internal/ansibledoc; do not edit.

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
---
module: workload_policy
short_description: Let the model's callers alone reach one workload
version_added: 0.1.0
description:
  - 'Brings about the AuthorizationPolicy and the STRICT PeerAuthentication of one destination: the
    callers'' principals may reach its ports, and nobody else.'
  - Both are there in the profile V(enforced) and removed in the others. A caller that the model no
    longer has disappears from the policy.
  - 'Before anything is enforced the live pods of the callers are looked at: each must have a proxy
    and run under the identity that the policy trusts.'
  - The objects are the same, byte for byte, as those that the function workload-policy-generator
    makes of the same model in a GitOps build.
author:
  - Ringfence developers (@ringfence-dev)
options:
  workload:
    description:
      - The destination, by its name in the model. O(owner) must own it.
    type: str
    required: true
    aliases:
      - name
  state:
    description:
      - 'With V(derived) the cluster gets what the profile derives: the policies where it is
        V(enforced), and no policies where it isn''t.'
      - 'With V(absent) the policies go, whatever the profile says; nothing else is changed. This
        works even when the model can''t be read: then what goes is found by the labels of O(owner),
        in every namespace that the task may read.'
    type: str
    default: derived
    choices:
      - derived
      - absent
  model:
    description:
      - 'The AccessModel: a path, or the document as a mapping.'
      - A path is looked up on the controller as for other files of a role or playbook (C(files/));
        it may be encrypted with Ansible Vault.
    type: raw
    required: true
  environment:
    description:
      - 'The Environment: a path, or the document as a mapping.'
      - Without it O(security_profile) and O(dns) say what the environment is.
    type: raw
  owner:
    description:
      - 'The owner of the model whose objects these are: the role. Its tool must be Ansible.'
    type: str
    required: true
  security_profile:
    description:
      - The profile of the environment, as the inventory has it.
      - It counts before that of O(environment); where both are given and differ, a warning says so.
    type: str
    choices:
      - open
      - permissive
      - enforced
  dns:
    description:
      - 'Host names by the names that the model''s hostRefs use, as the inventory has them: each a
        string or a list of strings.'
      - An entry counts before that of O(environment). Entries that the model doesn't use are
        ignored.
    type: dict
  trust_domain:
    description:
      - The trust domain of the mesh. The default is that of O(environment), else V(cluster.local).
    type: str
  strict:
    description:
      - Let every warning about the input or the objects fail the task.
    type: bool
    default: false
  force:
    description:
      - Take over objects of our names that somebody else wrote.
      - Without it such an object fails the task, and the message says who wrote it; but an ALLOW
        policy that admits everybody is replaced in any case.
    type: bool
    default: false
  field_manager:
    description:
      - The name by which the API server knows the writes of these tasks. Nothing that another
        manager wrote is pruned.
    type: str
    default: ringfence
  stamp_version:
    description:
      - Write the version of this collection into generated objects, as the annotation
        C(ringfence.dev/version).
      - Each upgrade then changes every one of them.
    type: bool
    default: false
  on_unready:
    description:
      - 'What to do where a policy is about to be enforced and a live pod isn''t ready for it: a
        caller without a proxy, or a gateway that still runs under another ServiceAccount.'
      - V(fail) writes no policy; V(warn) writes it and says which requests will be refused.
    type: str
    default: fail
    choices:
      - fail
      - warn
  wait:
    description:
      - Wait until the pods of changed templates are replaced, before anything relies on them.
    type: bool
    default: true
  wait_timeout:
    description:
      - How many seconds to wait for each rollout.
    type: int
    default: 120
  wait_sleep:
    description:
      - How many seconds to wait between two looks.
    type: int
    default: 5
  kubeconfig:
    description:
      - 'The kubeconfig: a path, several paths with colons between, or the document as a mapping.'
      - With a local connection a path is looked up on the controller as for other files of a role
        or playbook (C(files/)), and may be encrypted with Ansible Vault. Otherwise it is a path on
        the host where the module runs.
      - Without it, and without O(host) and complete credentials or O(context), a pod's own service
        account counts, then E(KUBECONFIG), then C(~/.kube/config).
      - Of two entries of the same name in several files the first counts. Where the files have
        different current contexts, O(context) must say which one is meant.
      - Where it isn't given, the environment variable E(K8S_AUTH_KUBECONFIG) counts.
    type: raw
  context:
    description:
      - The context in the kubeconfig. The default is its current context.
      - Where it isn't given, the environment variable E(K8S_AUTH_CONTEXT) counts.
    type: str
  host:
    description:
      - The URL of the API server.
      - With O(api_key), with O(client_cert) and O(client_key), or with O(username) and O(password),
        nothing else is looked at. Otherwise it replaces the address that the kubeconfig or the
        pod's service account has.
      - Where it isn't given, the environment variable E(K8S_AUTH_HOST) counts.
    type: str
  api_key:
    description:
      - The bearer token. It replaces the token, password or plugin of the kubeconfig.
      - Where it isn't given, the environment variable E(K8S_AUTH_API_KEY) counts.
    type: str
  username:
    description:
      - The name for HTTP basic authentication, which counts together with O(password) only, and not
        beside O(api_key).
      - API servers themselves don't take it any more; what stands before one may.
      - Where it isn't given, the environment variable E(K8S_AUTH_USERNAME) counts.
    type: str
  password:
    description:
      - The password for HTTP basic authentication; see O(username).
      - Where it isn't given, the environment variable E(K8S_AUTH_PASSWORD) counts.
    type: str
  client_cert:
    description:
      - The file of the client certificate, in PEM, on the host where the module runs. It replaces
        that of the kubeconfig.
      - The environment variable E(K8S_AUTH_CERT_FILE) is looked at as well.
      - Where it isn't given, the environment variable E(K8S_AUTH_CLIENT_CERT) counts.
    type: path
    aliases:
      - cert_file
  client_key:
    description:
      - The file of the key of O(client_cert), in PEM, on the host where the module runs.
      - The environment variable E(K8S_AUTH_KEY_FILE) is looked at as well.
      - Where it isn't given, the environment variable E(K8S_AUTH_CLIENT_KEY) counts.
    type: path
    aliases:
      - key_file
  ca_cert:
    description:
      - The file of the certificates, in PEM, that sign the API server's, on the host where the
        module runs. It replaces that of the kubeconfig.
      - The environment variable E(K8S_AUTH_SSL_CA_CERT) is looked at as well.
      - Where it isn't given, the environment variable E(K8S_AUTH_CA_CERT) counts.
    type: path
    aliases:
      - ssl_ca_cert
  validate_certs:
    description:
      - Whether the API server's certificate is checked. The default is what the kubeconfig says,
        else V(true); with O(ca_cert) it is V(true).
      - The environment variable E(K8S_AUTH_VERIFY_SSL) is looked at as well.
      - Where it isn't given, the environment variable E(K8S_AUTH_VALIDATE_CERTS) counts.
    type: bool
    aliases:
      - verify_ssl
  proxy:
    description:
      - The URL of the proxy to the API server, by http, https or socks5. The default is that of the
        kubeconfig, else that of E(HTTPS_PROXY).
      - Where it isn't given, the environment variable E(K8S_AUTH_PROXY) counts.
    type: str
  no_proxy:
    description:
      - Hosts, domains, addresses and networks, with commas between, that are reached without a
        proxy.
      - Where it isn't given, the environment variable E(K8S_AUTH_NO_PROXY) counts.
    type: str
  proxy_headers:
    description:
      - What the proxy is told with the request for a tunnel.
      - Without it the environment variables E(K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH),
        E(K8S_AUTH_PROXY_HEADERS_BASIC_AUTH) and E(K8S_AUTH_PROXY_HEADERS_USER_AGENT) are looked at.
    type: dict
    suboptions:
      proxy_basic_auth:
        description:
          - The name and password for the proxy, with a colon between.
        type: str
      basic_auth:
        description:
          - A name and password for the header Authorization, with a colon between.
        type: str
      user_agent:
        description:
          - The name of the program, for the header User-Agent.
        type: str
  persist_config:
    description:
      - 'Accepted for the sake of common defaults, and without effect: a token that is renewed
        serves the one task, and no kubeconfig is ever written.'
      - Where it isn't given, the environment variable E(K8S_AUTH_PERSIST_CONFIG) counts.
    type: bool
  impersonate_user:
    description:
      - The user on whose behalf the requests are made. It replaces that of the kubeconfig, its
        groups included.
      - Where it isn't given, the environment variable E(K8S_AUTH_IMPERSONATE_USER) counts.
    type: str
  impersonate_groups:
    description:
      - The groups on whose behalf the requests are made, beside O(impersonate_user).
      - Where it isn't given, the environment variable E(K8S_AUTH_IMPERSONATE_GROUPS) counts.
    type: list
    elements: str
attributes:
  action:
    support: full
    description: An action plugin on the controller chooses the binary for the host, and reads the
      files that lie on the controller.
  async:
    support: full
    description: The module can run in the background.
  check_mode:
    support: full
    description: In check mode the module changes nothing and tells what it would change.
  diff_mode:
    support: full
    description: In diff mode the result holds each object before and after.
  platform:
    support: full
    platforms: posix
    description: The module is a static binary for Linux on amd64 and arm64; the host needs no
      Python for it and no Kubernetes client.
seealso:
  - module: ringfence.mesh.access_policies
  - module: ringfence.mesh.workload_identity
"""

EXAMPLES = r"""
- name: Enforce one destination first
  ringfence.mesh.workload_policy:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    owner: waldur-deploy
    workload: waldur-api

- name: Take its policies away at once
  ringfence.mesh.workload_policy:
    model: access-model.yaml
    owner: waldur-deploy
    workload: waldur-api
    state: absent
"""

RETURN = r"""
changes:
  description:
    - The objects that were changed, or in check mode would be, in the order of the writing. A task
      that failed on the way lists what it had written.
  returned: always
  type: list
  elements: dict
  sample:
    - api_version: security.istio.io/v1
      kind: AuthorizationPolicy
      method: create
      name: istio-ingressgateway-web
      namespace: istio-system
  contains:
    method:
      description:
        - V(create), V(update) or V(delete).
      returned: always
      type: str
    api_version:
      description:
        - The API version.
      returned: always
      type: str
    kind:
      description:
        - The kind.
      returned: always
      type: str
    namespace:
      description:
        - The namespace; empty for what has none.
      returned: always
      type: str
    name:
      description:
        - The name.
      returned: always
      type: str
result:
  description:
    - The objects that this task looks after, as they are now (in check mode as they would be),
      without managedFields and status.
  returned: when the model could be read
  type: list
  elements: dict
duration:
  description:
    - Seconds that the module took.
  returned: always
  type: float
profile:
  description:
    - The security profile of the environment.
  returned: when the model could be read
  type: str
  sample: enforced
skipped_reason:
  description:
    - 'Why: the gateway is disabled, or the environment doesn''t have it. What was left of it is
      removed all the same.'
  returned: when there was nothing to derive
  type: str
findings:
  description:
    - Errors and warnings about the input and the objects, one by one; the same stands in C(msg) and
      C(warnings).
  returned: always
  type: list
  elements: dict
  contains:
    rule:
      description:
        - The rule's ID.
      returned: always
      type: str
      sample: pod-unready
    severity:
      description:
        - V(error) or V(warning).
      returned: always
      type: str
    message:
      description:
        - What is wrong.
      returned: always
      type: str
    remedy:
      description:
        - What to do.
      returned: always
      type: str
    object:
      description:
        - 'The object: api_version, kind, namespace, name.'
      returned: where it is about one
      type: dict
    field:
      description:
        - The path of the field, or the parameter.
      returned: where it is about one
      type: str
    file:
      description:
        - The file.
      returned: where it is known
      type: str
    line:
      description:
        - The line in the file.
      returned: where it is known
      type: int
"""

from ansible.module_utils.basic import AnsibleModule, env_fallback

argument_spec = {
    "workload": {
        "type": "str",
        "required": True,
        "aliases": ["name"],
    },
    "state": {
        "type": "str",
        "default": "derived",
        "choices": ["derived", "absent"],
    },
    "model": {
        "type": "raw",
        "required": True,
    },
    "environment": {
        "type": "raw",
    },
    "owner": {
        "type": "str",
        "required": True,
    },
    "security_profile": {
        "type": "str",
        "choices": ["open", "permissive", "enforced"],
    },
    "dns": {
        "type": "dict",
    },
    "trust_domain": {
        "type": "str",
    },
    "strict": {
        "type": "bool",
        "default": False,
    },
    "force": {
        "type": "bool",
        "default": False,
    },
    "field_manager": {
        "type": "str",
        "default": "ringfence",
    },
    "stamp_version": {
        "type": "bool",
        "default": False,
    },
    "on_unready": {
        "type": "str",
        "default": "fail",
        "choices": ["fail", "warn"],
    },
    "wait": {
        "type": "bool",
        "default": True,
    },
    "wait_timeout": {
        "type": "int",
        "default": 120,
    },
    "wait_sleep": {
        "type": "int",
        "default": 5,
    },
    "kubeconfig": {
        "type": "raw",
        "no_log": True,
        "fallback": (env_fallback, ["K8S_AUTH_KUBECONFIG"]),
    },
    "context": {
        "type": "str",
        "fallback": (env_fallback, ["K8S_AUTH_CONTEXT"]),
    },
    "host": {
        "type": "str",
        "fallback": (env_fallback, ["K8S_AUTH_HOST"]),
    },
    "api_key": {
        "type": "str",
        "no_log": True,
        "fallback": (env_fallback, ["K8S_AUTH_API_KEY"]),
    },
    "username": {
        "type": "str",
        "fallback": (env_fallback, ["K8S_AUTH_USERNAME"]),
    },
    "password": {
        "type": "str",
        "no_log": True,
        "fallback": (env_fallback, ["K8S_AUTH_PASSWORD"]),
    },
    "client_cert": {
        "type": "path",
        "aliases": ["cert_file"],
        "fallback": (env_fallback, ["K8S_AUTH_CLIENT_CERT"]),
    },
    "client_key": {
        "type": "path",
        "aliases": ["key_file"],
        "no_log": False,
        "fallback": (env_fallback, ["K8S_AUTH_CLIENT_KEY"]),
    },
    "ca_cert": {
        "type": "path",
        "aliases": ["ssl_ca_cert"],
        "fallback": (env_fallback, ["K8S_AUTH_CA_CERT"]),
    },
    "validate_certs": {
        "type": "bool",
        "aliases": ["verify_ssl"],
        "fallback": (env_fallback, ["K8S_AUTH_VALIDATE_CERTS"]),
    },
    "proxy": {
        "type": "str",
        "fallback": (env_fallback, ["K8S_AUTH_PROXY"]),
    },
    "no_proxy": {
        "type": "str",
        "fallback": (env_fallback, ["K8S_AUTH_NO_PROXY"]),
    },
    "proxy_headers": {
        "type": "dict",
        "options": {
            "proxy_basic_auth": {
                "type": "str",
                "no_log": True,
            },
            "basic_auth": {
                "type": "str",
                "no_log": True,
            },
            "user_agent": {
                "type": "str",
            },
        },
    },
    "persist_config": {
        "type": "bool",
        "fallback": (env_fallback, ["K8S_AUTH_PERSIST_CONFIG"]),
    },
    "impersonate_user": {
        "type": "str",
        "fallback": (env_fallback, ["K8S_AUTH_IMPERSONATE_USER"]),
    },
    "impersonate_groups": {
        "type": "list",
        "elements": "str",
        "fallback": (env_fallback, ["K8S_AUTH_IMPERSONATE_GROUPS"]),
    },
}


def main():
    module = AnsibleModule(
        argument_spec=argument_spec,
        supports_check_mode=True,
    )
    module.fail_json(
        msg="The module is a binary: its collection's action plugin runs it as ringfence.mesh.workload_policy."
    )


if __name__ == "__main__":
    main()

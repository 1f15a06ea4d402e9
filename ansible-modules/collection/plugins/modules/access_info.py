#!/usr/bin/python
# -*- coding: utf-8 -*-

# SPDX-FileCopyrightText: The Ringfence authors
# SPDX-License-Identifier: Apache-2.0

# Generated from the tables in ansible-modules by internal/ansibledoc; do not edit.

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
---
module: access_info
short_description: Derive hosts, principals, edges and ServiceAccounts from the access model
version_added: 0.1.0
description:
  - 'Returns what the access model derives in an environment: the hosts and the principal of each
    gateway, who may call whom, and which ServiceAccounts there are. Roles use it in their templates
    in place of copies of these values.'
  - It needs no cluster and changes nothing.
author:
  - Ringfence developers (@ringfence-dev)
options:
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
      - Return only what this owner has. The default is every owner.
    type: str
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
    description: The module never changes anything.
  diff_mode:
    support: N/A
    description: There is nothing that could differ afterwards.
  platform:
    support: full
    platforms: posix
    description: The module is a static binary for Linux on amd64 and arm64; the host needs no
      Python for it and no Kubernetes client.
seealso:
  - module: ringfence.mesh.access_policies
"""

EXAMPLES = r"""
- name: Derive everything once
  ringfence.mesh.access_info:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
  register: access
  run_once: true

- name: Use a host and a principal in a template of the role
  ansible.builtin.template:
    src: gateway.yaml.j2  # hosts: {{ access.gateways['istio-ingressgateway-mlflow'].hosts | to_json }}
    dest: /etc/kubernetes/gateway.yaml
    mode: "0644"

- name: Name who may call a workload
  ansible.builtin.debug:
    msg: "{{ access.edges | selectattr('to', 'eq', 'web') | map(attribute='principals') | flatten }}"
"""

RETURN = r"""
model:
  description:
    - The name of the AccessModel.
  returned: always
  type: str
environment:
  description:
    - The name of the Environment; V(inventory) where only the inventory speaks.
  returned: always
  type: str
profile:
  description:
    - The security profile of the environment.
  returned: always
  type: str
trust_domain:
  description:
    - The trust domain of the mesh.
  returned: always
  type: str
gateways:
  description:
    - The gateways by their names.
  returned: always
  type: dict
  contains:
    owner:
      description:
        - Whose it is.
      returned: always
      type: str
    tool:
      description:
        - 'What writes the owner''s objects: V(Ansible), V(GitOps) or V(External).'
      returned: always
      type: str
    namespace:
      description:
        - Its namespace.
      returned: always
      type: str
    service_account:
      description:
        - The ServiceAccount that its pods run as.
      returned: always
      type: str
    principal:
      description:
        - 'The principal that policies trust: trust domain, namespace and ServiceAccount.'
      returned: always
      type: str
    previous_principals:
      description:
        - Principals that a rename is leaving, and that are still trusted.
      returned: always
      type: list
      elements: str
    selector:
      description:
        - The labels by which policies select its pods.
      returned: always
      type: dict
    profile:
      description:
        - 'Its profile: the environment''s, or a lower one of its own.'
      returned: always
      type: str
    absent:
      description:
        - Whether the environment doesn't have it.
      returned: always
      type: bool
    deployment:
      description:
        - The name of its Deployment.
      returned: always
      type: str
    hosts:
      description:
        - The hosts that it serves.
      returned: always
      type: list
      elements: str
    host_patterns:
      description:
        - 'What its policy admits as the Host of a request: each host with and without a port.'
      returned: always
      type: list
      elements: str
    routes:
      description:
        - The Gateway and VirtualService objects that hold its hosts.
      returned: always
      type: list
      elements: dict
      contains:
        kind:
          description:
            - The kind.
          returned: always
          type: str
        namespace:
          description:
            - The namespace.
          returned: always
          type: str
        name:
          description:
            - The name.
          returned: always
          type: str
        api_version:
          description:
            - The API version.
          returned: always
          type: str
        owner:
          description:
            - Who writes it.
          returned: always
          type: str
        servers:
          description:
            - The servers of a Gateway, by their port names, that it is narrowed to; empty for all.
          returned: always
          type: list
          elements: str
        hosts:
          description:
            - The hosts that it holds.
          returned: always
          type: list
          elements: str
    policy:
      description:
        - Its AuthorizationPolicy, whole; null where the profile derives none.
      returned: always
      type: dict
workloads:
  description:
    - The workloads by their names.
  returned: always
  type: dict
  contains:
    owner:
      description:
        - Whose it is.
      returned: always
      type: str
    tool:
      description:
        - 'What writes the owner''s objects: V(Ansible), V(GitOps) or V(External).'
      returned: always
      type: str
    namespace:
      description:
        - Its namespace.
      returned: always
      type: str
    service_account:
      description:
        - The ServiceAccount that its pods run as.
      returned: always
      type: str
    principal:
      description:
        - 'The principal that policies trust: trust domain, namespace and ServiceAccount.'
      returned: always
      type: str
    previous_principals:
      description:
        - Principals that a rename is leaving, and that are still trusted.
      returned: always
      type: list
      elements: str
    selector:
      description:
        - The labels by which policies select its pods.
      returned: always
      type: dict
    profile:
      description:
        - 'Its profile: the environment''s, or a lower one of its own.'
      returned: always
      type: str
    absent:
      description:
        - Whether the environment doesn't have it.
      returned: always
      type: bool
    ports:
      description:
        - The workload ports that callers may reach.
      returned: always
      type: list
      elements: str
    callers:
      description:
        - The principals that may reach it.
      returned: always
      type: list
      elements: str
    enrolled:
      description:
        - Whether its pods get a sidecar here.
      returned: always
      type: bool
    enforced:
      description:
        - Whether its policies apply here.
      returned: always
      type: bool
edges:
  description:
    - Who may call whom, where policies are enforced.
  returned: always
  type: list
  elements: dict
  contains:
    from:
      description:
        - The caller, as the model has it.
      returned: always
      type: str
    principals:
      description:
        - The principals that it shows.
      returned: always
      type: list
      elements: str
    to:
      description:
        - The destination, by its name in the model.
      returned: always
      type: str
    namespace:
      description:
        - The destination's namespace.
      returned: always
      type: str
    ports:
      description:
        - The workload ports.
      returned: always
      type: list
      elements: str
service_accounts:
  description:
    - The ServiceAccounts that identities need.
  returned: always
  type: list
  elements: dict
  contains:
    namespace:
      description:
        - The namespace.
      returned: always
      type: str
    name:
      description:
        - The name.
      returned: always
      type: str
    principal:
      description:
        - Its principal.
      returned: always
      type: str
    owner:
      description:
        - Whose it is.
      returned: always
      type: str
    source:
      description:
        - The model's entry that has it first.
      returned: always
      type: str
consumers:
  description:
    - Environment variables that hold a derived value.
  returned: always
  type: list
  elements: dict
  contains:
    owner:
      description:
        - Whose object it is.
      returned: always
      type: str
    kind:
      description:
        - The kind of the object.
      returned: always
      type: str
    namespace:
      description:
        - The namespace of the object.
      returned: always
      type: str
    name:
      description:
        - The name of the object.
      returned: always
      type: str
    container:
      description:
        - The container; empty where the model names none.
      returned: always
      type: str
    env:
      description:
        - The variable.
      returned: always
      type: str
    value:
      description:
        - What it must hold.
      returned: always
      type: str
    source:
      description:
        - What that is derived from.
      returned: always
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

from ansible.module_utils.basic import AnsibleModule

argument_spec = {
    "model": {
        "type": "raw",
        "required": True,
    },
    "environment": {
        "type": "raw",
    },
    "owner": {
        "type": "str",
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
}


def main():
    module = AnsibleModule(
        argument_spec=argument_spec,
        supports_check_mode=True,
    )
    module.fail_json(
        msg="The module is a binary: its collection's action plugin runs it as ringfence.mesh.access_info."
    )


if __name__ == "__main__":
    main()

#!/usr/bin/python
# -*- coding: utf-8 -*-

# SPDX-FileCopyrightText: The Ringfence authors
# SPDX-License-Identifier: Apache-2.0

# Generated from the tables in ansible-modules by internal/ansibledoc; do not edit.

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
---
module: profile_parity
short_description: Compare the inventory with what GitOps renders
version_added: 0.1.0
description:
  - GitOps can't read an inventory, so that both hold the security profile, the hosts and Istio's
    version of an environment. This module reads the manifests that GitOps renders, lists every
    value in which the two disagree, and fails where there is one.
  - 'The profile is inferred from what is rendered: from the labels that ask for a sidecar, the
    ALLOW policies and the STRICT PeerAuthentications of the model''s workloads, and the host
    policies of its gateways. Who wrote them doesn''t matter. Entries that the environment holds at
    a lower profile, or doesn''t have, are judged by that.'
  - Compared are also the hosts of Gateways, VirtualServices and gateway policies, environment
    variables such as C(SERVICE_PUBLIC_HOST) and C(SERVICE_GATEWAY_PRINCIPAL), the trust domain in
    principals, and the versions of Istio's images and charts.
  - What the model gives to an owner of GitOps and no rendered file holds is listed too, for nothing
    shows that it agrees.
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
  security_profile:
    description:
      - The profile of the environment, as the inventory has it.
      - Where O(environment) says something else, that is a disagreement like others.
    type: str
    choices:
      - open
      - permissive
      - enforced
  dns:
    description:
      - 'Host names by the names that the model''s hostRefs use, as the inventory has them: each a
        string or a list of strings. Entries that the model doesn''t use are ignored.'
      - Where O(environment) says something else, that is a disagreement like others.
    type: dict
  trust_domain:
    description:
      - The trust domain of the mesh, as the inventory has it. The default is that of
        O(environment), else V(cluster.local).
      - Where O(environment) says something else, that is a disagreement like others.
    type: str
  strict:
    description:
      - Let every warning about the input or the objects fail the task.
    type: bool
    default: false
  rendered:
    description:
      - 'The rendered manifests of one environment: files, or directories that are searched for
        C(*.yaml), C(*.yml) and C(*.json).'
      - They are read on the host of the task. Kustomizations, documents of Ringfence, and files and
        directories whose names begin with a dot are passed over; any other file must hold
        manifests.
      - A file may have 64 MiB, and all of them 512 MiB.
    type: list
    elements: path
    required: true
  owners:
    description:
      - Compare the entries of these owners alone. Their tool must be GitOps. The default is every
        owner whose tool it is.
    type: list
    elements: str
  istio_version:
    description:
      - The version of Istio's images, as the inventory has it. The default is that of
        O(environment).
      - Where O(environment) says something else, that is a disagreement like others.
    type: str
  istio_chart_version:
    description:
      - The version of Istio's charts. The default is O(istio_version). Another one is a
        disagreement of its own.
    type: str
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
notes:
  - Whether each generated object is right to the letter, C(ringfence verify) says. This module
    compares values alone.
  - Charts are known by the label C(helm.sh/chart) of what they rendered, by the sources of Argo
    CD's Applications and ApplicationSets, and by Flux's HelmReleases with their HelmRepositories
    and OCIRepositories, where those are rendered, too.
seealso:
  - module: ringfence.mesh.access_info
  - module: ringfence.mesh.access_policies
"""

EXAMPLES = r"""
- name: Compare the inventory with what GitOps renders
  ringfence.mesh.profile_parity:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    security_profile: "{{ security_profile }}"
    dns: "{{ dns }}"
    istio_version: "{{ istio_version }}"
    istio_chart_version: "{{ istio_chart_version | default(istio_version) }}"
    rendered:
      - "rendered/{{ env }}"
  delegate_to: localhost
  run_once: true

- name: Compare one application, and go on whatever comes of it
  ringfence.mesh.profile_parity:
    model: access-model.yaml
    security_profile: "{{ security_profile }}"
    dns: "{{ dns }}"
    rendered:
      - "rendered/{{ env }}/themelio.yaml"
    owners:
      - themelio
  register: parity
  ignore_errors: true
  delegate_to: localhost
  run_once: true

- name: List what disagrees
  ansible.builtin.debug:
    msg: "{{ parity.disagreements | map(attribute='message') }}"
"""

RETURN = r"""
profile:
  description:
    - The security profile on both sides.
  returned: when the input and the rendered files could be read
  type: dict
  contains:
    inventory:
      description:
        - The profile by the inventory, or by O(environment) where the inventory says none.
      returned: always
      type: str
    rendered:
      description:
        - The profile by what is rendered. V(mixed) where none makes all of it, V(unknown) where
          nothing tells one from another; several names with V(or) between them where nothing tells
          these apart and the inventory's is none of them.
      returned: always
      type: str
    evidence:
      description:
        - What tells, in the model's order.
      returned: always
      type: list
      elements: dict
      contains:
        entry:
          description:
            - The entry of the model, such as V(workload web).
          returned: always
          type: str
        aspect:
          description:
            - V(enrollment) or V(enforcement).
          returned: always
          type: str
        holds:
          description:
            - Whether the entry is enrolled, or enforced.
          returned: always
          type: bool
        reason:
          description:
            - What is there, in words.
          returned: always
          type: str
        object:
          description:
            - The object; where something is missing, the one that would be there.
          returned: where it is about one
          type: dict
          contains:
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
            - The line on which the object begins in the file.
          returned: where it is known
          type: int
disagreements:
  description:
    - What disagrees, and what can't be compared; the same stands in C(msg), a line each.
  returned: when the input and the rendered files could be read
  type: list
  elements: dict
  contains:
    rule:
      description:
        - The rule's ID.
      returned: always
      type: str
      sample: parity-host
    severity:
      description:
        - V(error) or V(warning); a warning fails the task with O(strict).
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
    rendered:
      description:
        - What is rendered, or what O(environment) says.
      returned: where there is one
      type: raw
    inventory:
      description:
        - What it would be by the inventory.
      returned: where there is one
      type: raw
    object:
      description:
        - The object; where something is missing, the one that would be there.
      returned: where it is about one
      type: dict
      contains:
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
        - The line on which the object begins in the file.
      returned: where it is known
      type: int
checked:
  description:
    - How many of each were there to be compared.
  returned: when the input and the rendered files could be read
  type: dict
  contains:
    workloads:
      description:
        - Workloads of the model.
      returned: always
      type: int
    gateways:
      description:
        - Gateways of the model.
      returned: always
      type: int
    routes:
      description:
        - Gateways and VirtualServices that hold their hosts.
      returned: always
      type: int
    host_policies:
      description:
        - Policies of gateways that are enforced.
      returned: always
      type: int
    consumers:
      description:
        - Environment variables that hold a derived value.
      returned: always
      type: int
    principals:
      description:
        - Principals in policies.
      returned: always
      type: int
    images:
      description:
        - Images of Istio.
      returned: always
      type: int
    charts:
      description:
        - Charts of Istio.
      returned: always
      type: int
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
    "rendered": {
        "type": "list",
        "elements": "path",
        "required": True,
    },
    "owners": {
        "type": "list",
        "elements": "str",
    },
    "istio_version": {
        "type": "str",
    },
    "istio_chart_version": {
        "type": "str",
    },
}


def main():
    module = AnsibleModule(
        argument_spec=argument_spec,
        supports_check_mode=True,
    )
    module.fail_json(
        msg="The module is a binary: its collection's action plugin runs it as ringfence.mesh.profile_parity."
    )


if __name__ == "__main__":
    main()

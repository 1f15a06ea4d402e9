#!/usr/bin/python
# -*- coding: utf-8 -*-

# SPDX-FileCopyrightText: The Ringfence authors
# SPDX-License-Identifier: Apache-2.0

# Generated from the tables in ansible-modules by internal/ansibledoc; do not edit.

from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
---
module: gateway_probe
short_description: Ask live ingress gateways whether they admit their hosts and deny all others
version_added: 0.1.0
description:
  - 'Sends requests to each gateway''s own port, past DNS and every proxy before it: one for each
    host that it serves, one for the host with the port, and one for a host that it doesn''t serve.'
  - The first two must reach the application or its authentication. A 404 of a gateway without a
    route, a 426 for HTTP/1.0, any 5xx, and a denial by a policy are failures; an application's own
    404, 403 or redirect to a login is an answer.
  - 'The last must be denied by the gateway itself: a 403 with Envoy''s C(RBAC: access denied), and
    no sign of an answer from behind the gateway. A 403 or 404 of the application is a failure, for
    the request got through. Where the gateway''s profile has no host policy, it must not be denied
    so: then a policy of a higher profile would still be alive.'
  - Readiness, metrics and the public URL are checked as told.
  - Gateways are asked one after the other, and each check is repeated until it has its answer or no
    retry is left, for a policy takes seconds to reach a gateway. All failures are reported
    together. Nothing is changed, no redirect is followed, and no proxy of the environment is used.
author:
  - Ringfence developers (@ringfence-dev)
options:
  gateways:
    description:
      - The gateways, in the order in which they are asked.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description:
          - The gateway, by its name in the model where O(model) is given.
        type: str
        required: true
      deployed:
        description:
          - Whether the gateway is deployed here. One that isn't is recorded as such and not asked,
            which is no failure.
          - The same holds for one that the environment lists as absent.
        type: bool
        default: true
      address:
        description:
          - A node's address or name, or that of a load balancer which passes TCP on. Required
            unless the gateway isn't deployed.
        type: str
      port:
        description:
          - The NodePort of the gateway's HTTP or HTTPS listener. Required unless the gateway isn't
            deployed.
        type: int
      scheme:
        description:
          - What the port speaks.
        type: str
        default: http
        choices:
          - http
          - https
      hosts:
        description:
          - The hosts that the gateway must admit, in place of the model's. Required without
            O(model).
          - 'A wildcard host is asked for by a name below it: V(probe.example.org) for
            V(*.example.org).'
        type: list
        elements: str
      host_ports:
        description:
          - The ports with which each host must be admitted as well, as in V(host:8443).
          - The default is O(gateways[].port) for an exact host. For a wildcard host it is what the
            model lists in C(hostPorts), for no policy admits every port beside a wildcard.
        type: list
        elements: int
      expect_rejection:
        description:
          - Whether a host that the gateway doesn't serve must be denied. If not, it must not be
            denied by a policy.
          - The default is O(expect_rejection), else what the gateway's profile in the model says,
            else whether O(security_profile) is V(enforced), else V(true).
        type: bool
      path:
        description:
          - What is asked for. It may have a query.
        type: str
        default: /
      method:
        description:
          - The method. Others change something, or have an answer without a body.
        type: str
        default: GET
        choices:
          - GET
          - OPTIONS
      readiness:
        description:
          - Whether C(/healthz/ready) of the gateway's proxy is checked as well. It must answer 200.
        type: bool
        default: false
      readiness_address:
        description:
          - Where the readiness port is. The default is O(gateways[].address).
        type: str
      readiness_port:
        description:
          - The readiness port. On a node it is a NodePort of its own.
        type: int
        default: 15021
      metrics_address:
        description:
          - Where the metrics port is, mostly a pod. The default is O(gateways[].address).
        type: str
      metrics_port:
        description:
          - The port of the proxy's metrics, such as 15090. Without it they are not checked. They
            must be in Prometheus' form.
        type: int
      metrics_path:
        description:
          - The path of the metrics.
        type: str
        default: /stats/prometheus
      url:
        description:
          - The public URL, which is asked for through DNS and whatever stands before the gateway.
            Without it, it is not checked.
        type: str
      url_status:
        description:
          - The codes that O(gateways[].url) may answer. Without any, it is judged as the gateway's
            own hosts are.
        type: list
        elements: int
  expect_rejection:
    description:
      - What O(gateways[].expect_rejection) is where a gateway doesn't say it.
    type: bool
  rejected_host:
    description:
      - The host that no gateway serves.
    type: str
    default: rejected.invalid
  headers:
    description:
      - Headers of the requests to gateways and public URLs, such as credentials; readiness and
        metrics are asked without them.
      - Their values are masked in all output, and with them no part of an answer is shown but
        Envoy's own texts.
    type: dict
  timeout:
    description:
      - The seconds that one attempt may take.
    type: float
    default: 5
  retries:
    description:
      - How often a check is repeated after an answer that isn't the wanted one.
    type: int
    default: 5
  delay:
    description:
      - The seconds before each repetition.
    type: float
    default: 2
  successes:
    description:
      - How many attempts in a row must have the wanted answer.
      - 'Each is a connection of its own: with more of them, a gateway of several pods has passed
        only once all that were met have the policy.'
    type: int
    default: 1
  validate_certs:
    description:
      - Whether certificates are verified. The name in the handshake is the host that the gateway
        serves.
    type: bool
    default: true
  server_names:
    description:
      - What the gateways' proxies call themselves in the C(Server) header. A denial by a server of
        another name is not the gateway's.
    type: list
    elements: str
    default:
      - istio-envoy
      - envoy
  model:
    description:
      - 'The AccessModel: a path, or the document as a mapping.'
      - A path is looked up on the controller as for other files of a role or playbook (C(files/));
        it may be encrypted with Ansible Vault.
      - With it, hosts, profiles and absent gateways come from the model. Without it, each gateway
        needs its O(gateways[].hosts).
    type: raw
  environment:
    description:
      - 'The Environment: a path, or the document as a mapping.'
      - Without it O(security_profile) and O(dns) say what the environment is.
    type: raw
  owner:
    description:
      - The owner whose gateways these must be. The default is any.
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
notes:
  - 'Runs on the host of the task, which must reach the gateways. C(delegate_to: localhost) asks
    from the controller.'
  - Answers are recognised by Envoy's own texts and by the header C(x-envoy-upstream-service-time).
    A warning says so where a gateway hides the header. A gateway with error pages of its own
    (C(local_reply_config)) can't be probed.
  - 'A C(CUSTOM) policy is judged before the host policy. Where it answers for every host, the host
    policy stays unproved and the check fails: limit it to the gateway''s hosts, or send what it
    wants in O(headers).'
seealso:
  - module: ringfence.mesh.gateway_host_policy
  - module: ringfence.mesh.access_info
"""

EXAMPLES = r"""
- name: Probe the registry's gateway after its policy was changed
  ringfence.mesh.gateway_probe:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    gateways:
      - name: istio-ingressgateway-image-cache
        address: "{{ groups['kube_node'][0] }}"
        port: 30083
        url: "https://{{ dns.registry }}/v2/"
        url_status: [200, 401]
  delegate_to: localhost

- name: Probe without a model, with readiness and metrics
  ringfence.mesh.gateway_probe:
    gateways:
      - name: istio-ingressgateway-grafana
        deployed: "{{ grafana_gateway_enabled }}"
        address: 10.0.0.11
        port: 30084
        hosts: ["{{ dns.grafana }}"]
        readiness: true
        readiness_port: 30121
        metrics_address: "{{ grafana_gateway_pod_ip }}"
        metrics_port: 15090
    security_profile: "{{ security_profile }}"
    retries: 10
    successes: 3
  register: probed

- name: Keep the evidence
  ansible.builtin.copy:
    content: "{{ probed.gateways | to_nice_json }}"
    dest: "evidence/{{ env }}-gateways.json"
    mode: "0644"
  delegate_to: localhost
"""

RETURN = r"""
passed:
  description:
    - Whether every check of every deployed gateway had the answer that it wants.
  returned: unless the parameters are wrong
  type: bool
gateways:
  description:
    - What was found, in the order of O(gateways).
  returned: unless the parameters are wrong
  type: list
  elements: dict
  contains:
    name:
      description:
        - The gateway.
      returned: always
      type: str
    deployed:
      description:
        - Whether it is deployed here, and so was asked.
      returned: always
      type: bool
    skipped_reason:
      description:
        - Who says that it isn't deployed.
      returned: where the gateway isn't deployed
      type: str
    ok:
      description:
        - Whether all its checks had the wanted answer.
      returned: where the gateway is deployed
      type: bool
    expect_rejection:
      description:
        - Whether an unknown host had to be denied.
      returned: where the gateway is deployed
      type: bool
    checks:
      description:
        - The checks, in their order; none where the gateway isn't deployed.
      returned: always
      type: list
      elements: dict
      contains:
        check:
          description:
            - V(accepted), V(accepted-with-port), V(rejected), V(not-rejected) in its place where no
              rejection is expected, V(readiness), V(metrics) or V(url).
          returned: always
          type: str
          sample: rejected
        host:
          description:
            - The Host header; empty where it is the URL's own.
          returned: always
          type: str
          sample: rejected.invalid
        url:
          description:
            - What was asked, without its query.
          returned: always
          type: str
          sample: http://10.0.0.11:30084/
        ok:
          description:
            - Whether the answer is the wanted one.
          returned: always
          type: bool
        answer:
          description:
            - 'Who answered, and how: V(application), V(authentication), V(redirect), V(denied) by
              the gateway''s policy, V(denied-behind) by the application''s proxy,
              V(denied-elsewhere), V(denied-unexplained), V(no-route), V(http10), V(gateway-error),
              V(unavailable), V(application-error), V(unreachable), or V(proxy) for readiness and
              metrics.'
          returned: always
          type: str
          sample: no-route
        status:
          description:
            - The status; 0 without an answer.
          returned: always
          type: int
          sample: 404
        server:
          description:
            - The Server header.
          returned: always
          type: str
          sample: istio-envoy
        body:
          description:
            - The printable beginning of the body, at most 200 bytes.
          returned: always
          type: str
        attempts:
          description:
            - How often it was asked; the rest is of the last time.
          returned: always
          type: int
          sample: 1
        duration:
          description:
            - The seconds that all attempts and the waits between them took.
          returned: always
          type: float
          sample: 0.012
        reason:
          description:
            - What was answered, and where that is a failure, why and what to look at.
          returned: always
          type: str
          sample: 'got 404 from the gateway, which has no route for it: no VirtualService of this gateway serves the host'
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
    "gateways": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {
                "type": "str",
                "required": True,
            },
            "deployed": {
                "type": "bool",
                "default": True,
            },
            "address": {
                "type": "str",
            },
            "port": {
                "type": "int",
            },
            "scheme": {
                "type": "str",
                "default": "http",
                "choices": ["http", "https"],
            },
            "hosts": {
                "type": "list",
                "elements": "str",
            },
            "host_ports": {
                "type": "list",
                "elements": "int",
            },
            "expect_rejection": {
                "type": "bool",
            },
            "path": {
                "type": "str",
                "default": "/",
            },
            "method": {
                "type": "str",
                "default": "GET",
                "choices": ["GET", "OPTIONS"],
            },
            "readiness": {
                "type": "bool",
                "default": False,
            },
            "readiness_address": {
                "type": "str",
            },
            "readiness_port": {
                "type": "int",
                "default": 15021,
            },
            "metrics_address": {
                "type": "str",
            },
            "metrics_port": {
                "type": "int",
            },
            "metrics_path": {
                "type": "str",
                "default": "/stats/prometheus",
            },
            "url": {
                "type": "str",
            },
            "url_status": {
                "type": "list",
                "elements": "int",
            },
        },
    },
    "expect_rejection": {
        "type": "bool",
    },
    "rejected_host": {
        "type": "str",
        "default": "rejected.invalid",
    },
    "headers": {
        "type": "dict",
        "no_log": True,
    },
    "timeout": {
        "type": "float",
        "default": 5,
    },
    "retries": {
        "type": "int",
        "default": 5,
    },
    "delay": {
        "type": "float",
        "default": 2,
    },
    "successes": {
        "type": "int",
        "default": 1,
    },
    "validate_certs": {
        "type": "bool",
        "default": True,
    },
    "server_names": {
        "type": "list",
        "elements": "str",
        "default": ["istio-envoy", "envoy"],
    },
    "model": {
        "type": "raw",
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
        msg="The module is a binary: its collection's action plugin runs it as ringfence.mesh.gateway_probe."
    )


if __name__ == "__main__":
    main()

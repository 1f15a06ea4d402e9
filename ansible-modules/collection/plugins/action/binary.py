"""Runs a module of this collection as the binary that the host can execute."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Mapping

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase

# What the machine names of `uname -m` are called by Go, in whose names the binaries lie.
ARCHITECTURES = {
    "x86_64": "amd64",
    "amd64": "amd64",
    "aarch64": "arm64",
    "arm64": "arm64",
}
BINARIES = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "modules", "__bin__"
)
BINARY = "ringfence"
# Nothing that people write is larger.
MAX_FILE_BYTES = 4 << 20


class Refusal(Exception):
    """Why the module doesn't run, in words for the user, to whom an exception would look like a fault of ours."""


class ActionModule(ActionBase):
    """Chooses the binary, and reads what lies on the controller."""

    _supports_check_mode = True
    _supports_async = True

    def run(self, tmp=None, task_vars=None):
        """Run the task's module and return its result."""
        result = super().run(tmp, task_vars)
        task_vars = task_vars or {}

        args = plain(self._task.args)
        try:
            args["_ringfence_files"] = self._read_files(args)
            args["_ringfence_module"] = self._module_name()
            binary = self._binary_name(task_vars)
        except Refusal as refusal:
            result.update(failed=True, msg=str(refusal))
            return result
        wrap_async = self._task.async_val and not self._connection.has_native_async
        result.update(
            self._execute_module(
                module_name=binary,
                module_args=args,
                task_vars=task_vars,
                wrap_async=wrap_async,
            )
        )
        return result

    def _module_name(self):
        """Return the full name of the module, however the task writes it."""
        found = self._shared_loader_obj.module_loader.find_plugin_with_context(
            self._task.action, collection_list=self._task.collections
        )
        if not found.resolved:
            raise Refusal(f"{self._task.action} is no module")
        return found.resolved_fqcn

    def _binary_name(self, task_vars):
        """Return the name by which the plugin loader knows the binary for the host."""
        system, machine = self._host(task_vars)
        architecture = ARCHITECTURES.get(machine)
        name = f"{system.lower()}_{architecture}"
        if architecture and os.path.isfile(os.path.join(BINARIES, name, BINARY)):
            return f"ringfence.mesh.__bin__.{name}.{BINARY}"
        host = self._task.delegate_to or task_vars.get("inventory_hostname", "the host")
        raise Refusal(
            f"ringfence.mesh has no binary for {system} {machine}, which {host} is; {there_are()}"
        )

    def _host(self, task_vars):
        """Return system and machine of the host, as `uname` names them."""
        # Where the task says so, a host's modules run here, whatever its facts are.
        if self._connection.transport == "local":
            return platform.system(), platform.machine()
        if self._task.delegate_to:
            delegated = task_vars.get("ansible_delegated_vars") or {}
            task_vars = delegated.get(self._task.delegate_to) or {}
        facts = task_vars.get("ansible_facts") or {}
        if facts.get("system") and facts.get("architecture"):
            return str(facts["system"]), str(facts["architecture"])
        answer = self._low_level_execute_command("uname -s -m", sudoable=False)
        # A login shell may have greeted first.
        words = (answer.get("stdout") or "").strip().rpartition("\n")[2].split()
        if answer.get("rc") != 0 or len(words) != 2:
            raise Refusal(
                "the architecture of the host is unknown: `uname -s -m` gave "
                f"{answer.get('stdout', '')!r} {answer.get('stderr', '')!r}, status {answer.get('rc')}; "
                "gather the facts `architecture` and `system`"
            )
        return words[0], words[1]

    def _read_files(self, args):
        """Return the files of the controller that the arguments name."""
        files = {}
        for name in ("model", "environment"):
            path = args.get(name)
            if not path or not isinstance(path, str):
                continue
            if "\n" in path:
                raise Refusal(
                    f"{name}: it is text of several lines; give a mapping, as `| from_yaml` makes it, or a path"
                )
            try:
                content = self._read(name, self._find(name, path))
            except Refusal:
                # What is to go must be able to go without a model; the module says that it had none.
                if args.get("state") == "absent":
                    continue
                raise
            files[name] = {"path": path, "content": content}
        self._read_kubeconfig(args, files)
        return files

    def _read_kubeconfig(self, args, files):
        """Complete the paths of kubeconfig files, and read a single one."""
        kubeconfig = args.get("kubeconfig")
        if not kubeconfig or not isinstance(kubeconfig, str):
            return
        if self._connection.transport != "local":
            return  # as in kubernetes.core: it lies where the module runs
        paths = [
            self._find("kubeconfig", path)
            for path in kubeconfig.split(os.pathsep)
            if path
        ]
        if not paths:
            raise Refusal("kubeconfig: it names no file")
        if len(paths) == 1:
            content = self._read("kubeconfig", paths[0])
            files["kubeconfig"] = {"path": paths[0], "content": content}
        else:
            paths = [self._decrypted("kubeconfig", path) for path in paths]
        args["kubeconfig"] = os.pathsep.join(paths)

    def _find(self, name, path):
        """Return the path of a file below files/ of the role or the playbook."""
        try:
            return self._find_needle("files", path)
        except AnsibleError as error:
            raise Refusal(f"{name}: {error}") from error

    def _decrypted(self, name, path):
        """Return the path of the decrypted file, which is another one where it was encrypted."""
        try:
            return self._loader.get_real_file(path, decrypt=True)
        except AnsibleError as error:
            raise Refusal(f"{name}: {error}") from error

    def _read(self, name, path):
        """Return the decrypted text of a file."""
        real = self._decrypted(name, path)
        try:
            with open(real, "rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            raise Refusal(f"{name}: reading {path}: {error.strerror}") from error
        finally:
            self._loader.cleanup_tmp_file(real)
        if len(content) > MAX_FILE_BYTES:
            raise Refusal(f"{name}: {path} has more than {MAX_FILE_BYTES} bytes")
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            # The error itself holds the content.
            raise Refusal(
                f"{name}: {path} is no UTF-8 text at byte {error.start}"
            ) from None


def plain(args):
    """Return arguments as JSON has them, for a binary gets them without any of Ansible's encoders."""
    return json.loads(json.dumps(args, default=_encode))


def _encode(value):
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)  # decrypts a vaulted string


def there_are():
    """Say for which systems there are binaries."""
    names = sorted(os.listdir(BINARIES)) if os.path.isdir(BINARIES) else []
    if not names:
        return "it has none at all: build and install its tarball instead of its source"
    return "there are some for " + " and ".join(names).replace("_", "/")

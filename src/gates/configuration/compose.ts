import { entriesOf, itemsOf, type Node, scalarsOf, valuesAt, valuesOf } from './document.ts';
import { type Observation, observe } from './observation.ts';

const SOCKET =
  /(?:^|\/)(?:var\/)?run\/(?:docker|containerd\/containerd|podman\/podman|crio\/crio)\.sock(?::|$)/;
const CAPABILITY =
  /^(?:CAP_)?(?:SYS_ADMIN|SYS_MODULE|SYS_PTRACE|SYS_RAWIO|DAC_READ_SEARCH|BPF|ALL)$/i;
const UNCONFINED =
  /^(?:seccomp|apparmor)[:=]unconfined$|^label[:=]disable$|^systempaths=unconfined$/i;
const HOST_KEYS = ['network_mode', 'pid', 'ipc', 'uts', 'userns_mode', 'cgroup'];

/** Checks of services of Compose (docs.docker.com/reference/compose-file/services). */
export function inspectCompose(roots: readonly Node[]): Observation[] {
  const services = roots.flatMap((root) => entriesOf(valuesAt(root, 'services')));
  return services.flatMap(({ value: service }) => {
    const found: Observation[] = [];
    const add = (id: string, node: Node, text: string) => found.push(observe(id, node, text));
    for (const node of scalarsOf(valuesOf(service, 'privileged'))) {
      if (/^(?:true|yes|on)$/i.test(node.value))
        add('risk-privileged-container', node, 'privileged');
    }
    for (const volume of itemsOf(valuesOf(service, 'volumes'))) {
      const sources = volume.kind === 'map' ? valuesOf(volume, 'source') : [volume];
      for (const node of scalarsOf(sources)) {
        if (SOCKET.test(node.value)) add('risk-docker-socket', node, node.value);
      }
    }
    for (const key of HOST_KEYS) {
      for (const node of scalarsOf(valuesOf(service, key))) {
        if (node.value.trim() === 'host') add('risk-host-namespace', node, `${key} host`);
      }
    }
    for (const node of scalarsOf(valuesOf(service, 'cap_add'))) {
      if (CAPABILITY.test(node.value)) add('risk-container-capability', node, node.value);
    }
    for (const node of scalarsOf(valuesOf(service, 'security_opt'))) {
      if (UNCONFINED.test(node.value)) add('risk-container-unconfined', node, node.value);
    }
    return found;
  });
}

/** What the host of the tests offers to shut processes in, asked without the service's own probe. */

import { spawnSync } from 'node:child_process';

export const isRoot = process.geteuid?.() === 0;

/** Words before a program that then runs without the rights of root. */
export const withoutRights = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];

/** Command prefix that runs a program as another user, who cannot create namespaces. */
export const withoutNamespaces = [
  ...['unshare', '--user', '--map-user=1000', '--map-group=1000', '--keep-caps'],
  ...['sh', '-c', 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', 'sh'],
  ...withoutRights,
];

export function runs([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: 'ignore' }).status === 0;
}

/** Whether a process can have a network, a process space and a file tree of its own: not in every container. */
export const shutsIn = runs([
  ...['unshare', ...(isRoot ? [] : ['--user', '--map-current-user', '--keep-caps'])],
  ...['--net', '--pid', '--ipc', '--uts', '--fork', '--mount', '--mount-proc'],
  ...['mount', '-t', 'tmpfs', 'none', '/mnt'],
]);

/** What the system may offer to shut a program in, as words that stand before it. */

import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';

/** A user that owns nothing. */
export const nobody = '65534';

/** One way to shut in, as words before a program; the first of a group that works is taken. */
export interface Way {
  readonly layers: readonly LayerName[];
  readonly words: readonly string[];
}

export type LayerName =
  | 'ends with the service'
  | 'no network'
  | 'own process space'
  | 'own file tree'
  | 'other user'
  | 'no new privileges'
  | 'resource limits';

export const remedies: Readonly<Record<LayerName, string>> = {
  'ends with the service': 'install util-linux (setpriv)',
  'no network': 'install util-linux and allow user namespaces to the service, or start it with CAP_SYS_ADMIN',
  'own process space': 'install util-linux and allow user namespaces to the service, or start it with CAP_SYS_ADMIN',
  'own file tree': 'install util-linux and allow user namespaces to the service, or start it with CAP_SYS_ADMIN',
  'other user': 'start the service as root: functions then run as a user that owns nothing',
  'no new privileges': 'install util-linux (setpriv)',
  'resource limits': 'install util-linux (prlimit)',
};

const spaces = ['--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child=KILL'];
// The capabilities end with the innermost words.
const asUser = ['--user', '--map-current-user', '--keep-caps'];
const unprivileged = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];

/** What a program may see and use. */
export interface Needs {
  /** All that it reads beside the system's own folders. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Bounds, as words of `prlimit`. */
  readonly limits: readonly string[];
}

/**
 * Makes a file tree of what the program reads and enters it: neither the database nor the key is in it. A program for
 * `sh`; as few programs as can be are started by it, because each process of functions waits for them.
 */
function plantTree(needs: Needs): string {
  const system = systemFolders.filter((path) => existsSync(path));
  // Most systems have /bin and its like as links into /usr.
  const links = system.filter((path) => lstatSync(path).isSymbolicLink() && readlinkSync(path) === `usr${path}`);
  const isCovered = (path: string) => system.some((folder) => path.startsWith(`${folder}/`));
  const files = needs.files.filter((path) => !isCovered(path));
  const trees = [
    ...system.filter((path) => !links.includes(path)),
    ...needs.folders.filter((path) => !isCovered(path)),
    '/proc',
  ];
  const root = roots.find((at) => existsSync(at) && ![...files, ...trees].some((path) => path.startsWith(`${at}/`)));
  const at = (path: string) => quote(`${root}${path}`);
  return [
    'set -e',
    `mount -t tmpfs -o size=64k,nr_inodes=2048,mode=755,nosuid,nodev none ${at('')}`,
    ...(links.length > 0 ? [`ln -s ${links.map((path) => quote(`usr${path}`)).join(' ')} ${at('/')}`] : []),
    `mkdir -p ${[...trees, ...files.map((path) => dirname(path))].map(at).join(' ')}`,
    ...files.map((path) => `: > ${at(path)}`),
    ...[...files, ...trees].map((path) => `mount --rbind ${quote(path)} ${at(path)}`),
    `mount -o remount,ro ${at('')}`,
    `cd ${at('')}`,
    `exec chroot ${at('')} "$@"`,
  ].join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/libx32'];
/** Where the tree may stand: on any folder that holds nothing of it. */
const roots = ['/mnt', '/srv', '/media', '/opt', '/tmp'];

export const innerPrivileges: Way = { layers: ['no new privileges'], words: ['setpriv', ...unprivileged] };

/** From outside to inside: what needs rights comes before what gives them up. */
export function groups(isRoot: boolean, needs: Needs): readonly (readonly Way[])[] {
  const unshare = ['unshare', ...(isRoot ? [] : asUser), ...spaces];
  // The kernel forgets the signal at the parent's death when the user changes.
  const user = ['--reuid', nobody, '--regid', nobody, '--clear-groups', '--pdeathsig', 'KILL'];
  const otherUser: Way = { layers: ['other user', 'no new privileges'], words: [...innerPrivileges.words, ...user] };
  return [
    [{ layers: ['ends with the service'], words: ['setpriv', '--pdeathsig', 'KILL'] }],
    [
      {
        layers: ['no network', 'own process space', 'own file tree'],
        words: [...unshare, '--mount', '--mount-proc', 'sh', '-c', plantTree(needs), 'sh'],
      },
      { layers: ['no network', 'own process space'], words: unshare },
    ],
    [
      ...(isRoot ? [otherUser] : []),
      innerPrivileges,
      { layers: ['no new privileges'], words: ['setpriv', '--no-new-privs'] },
    ],
    [{ layers: ['resource limits'], words: ['prlimit', ...needs.limits] }],
  ];
}

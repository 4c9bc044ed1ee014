/** What the system may offer to shut a program in, as words that stand before it. */

import { existsSync } from 'node:fs';
import { programPaths } from './command.ts';

/** A user that owns nothing. */
const nobody = '65534';

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
const limited = ['--data=402653184', '--cpu=60', '--nofile=64', '--fsize=0', '--core=0'];

/** A file tree of its own, without what the program does not read: neither the database nor the key is in it. */
const plantTree = `set -e
root=$1
shift
mount -t tmpfs -o size=64k,nr_inodes=512,mode=755,nosuid,nodev none "$root"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root\${1%/*}"; : > "$root$1"; fi
  mount --rbind "$1" "$root$1"
  shift
done
shift
mkdir "$root/proc"
mount --rbind /proc "$root/proc"
mount -o remount,ro "$root"
cd "$root"
exec chroot "$root" "$@"`;

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/libx32'];
const devices = ['/dev/null', '/dev/urandom'];
/** Where the tree may stand: on any folder that holds nothing of it. */
const roots = ['/mnt', '/srv', '/media', '/opt', '/tmp'];

function ownTree(): readonly string[] {
  const { node, program, folders } = programPaths();
  const system = systemFolders.filter((path) => existsSync(path));
  const isCovered = (path: string) => system.some((folder) => path.startsWith(`${folder}/`));
  const paths = [...system, ...[node, program, ...folders].filter((path) => !isCovered(path)), ...devices];
  const root = roots.find((folder) => existsSync(folder) && !paths.some((path) => path.startsWith(`${folder}/`)));
  return ['--mount', '--mount-proc', 'sh', '-c', plantTree, 'sh', root ?? '/mnt', ...paths, '--'];
}

export const innerPrivileges: Way = { layers: ['no new privileges'], words: ['setpriv', ...unprivileged] };

/** From outside to inside: what needs rights comes before what gives them up. */
export function groups(isRoot: boolean): readonly (readonly Way[])[] {
  const unshare = ['unshare', ...(isRoot ? [] : asUser), ...spaces];
  const user = ['--reuid', nobody, '--regid', nobody, '--clear-groups'];
  const otherUser: Way = { layers: ['other user', 'no new privileges'], words: [...innerPrivileges.words, ...user] };
  return [
    [{ layers: ['ends with the service'], words: ['setpriv', '--pdeathsig', 'KILL'] }],
    [
      { layers: ['no network', 'own process space', 'own file tree'], words: [...unshare, ...ownTree()] },
      { layers: ['no network', 'own process space'], words: unshare },
    ],
    [
      ...(isRoot ? [otherUser] : []),
      innerPrivileges,
      { layers: ['no new privileges'], words: ['setpriv', '--no-new-privs'] },
    ],
    [{ layers: ['resource limits'], words: ['prlimit', ...limited] }],
  ];
}

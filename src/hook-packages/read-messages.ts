/** Parses messages from the processes of a build. Throws for a malformed message, which ends the process. */

import { isPackageIntegrity, isPackageName, isPackageVersion } from '../domain/hooks/package-grammar.ts';
import { unprintable } from '../domain/unprintable.ts';
import { type FromBundle, type FromFetch, limits, type Refused, type ResolvedPackage } from './protocol.ts';

const mostReasonCharacters = 600;
const everyUnprintable = new RegExp(unprintable, 'gu');

type Members = Readonly<Record<string, unknown>>;

function membersOf(text: string): Members {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new TypeError('no message');
  return value as Members;
}

function check(isWell: boolean): void {
  if (!isWell) throw new TypeError('a message of another form');
}

function readRefused({ reason, isFinal }: Members): Refused {
  check(typeof reason === 'string');
  return {
    op: 'refused',
    reason: String(reason).slice(0, mostReasonCharacters).replace(everyUnprintable, '\ufffd'),
    isFinal: isFinal === true,
  };
}

/** Whether a path is that of a nested package: `node_modules/a/node_modules/b`. */
function isPlace(path: unknown): path is string {
  if (typeof path !== 'string' || path.length > limits.pathCharacters) return false;
  const [, names] = /^node_modules\/(.+)$/.exec(path) ?? [];
  return names?.split('/node_modules/').every(isPackageName) ?? false;
}

function readPackage(value: unknown): ResolvedPackage {
  const { name, version, integrity, path } = (value ?? {}) as Partial<ResolvedPackage>;
  if (isPackageName(name) && isPackageVersion(version) && isPackageIntegrity(integrity) && isPlace(path)) {
    return { name, version, integrity, path };
  }
  throw new TypeError('no package');
}

export function readFromFetch(text: string): FromFetch {
  const message = membersOf(text);
  const { op, id, url, accept, packages } = message;
  if (op === 'refused') return readRefused(message);
  if (op === 'ready' || op === 'unpacked') return { op };
  if (op === 'resolved' && Array.isArray(packages) && packages.length <= limits.packages) {
    return { op, packages: packages.map(readPackage) };
  }
  check(op === 'get' && Number.isSafeInteger(id) && typeof url === 'string' && typeof accept === 'string');
  check(String(url).length <= limits.urlCharacters && /^[ -~]{1,200}$/.test(String(accept)));
  return { op: 'get', id: Number(id), url: String(url), accept: String(accept) };
}

export function readFromBundle(text: string): FromBundle {
  const message = membersOf(text);
  const { op, script } = message;
  if (op === 'refused') return readRefused(message);
  if (op === 'ready') return { op };
  check(op === 'bundled' && typeof script === 'string' && Buffer.byteLength(script) <= limits.scriptBytes);
  return { op: 'bundled', script: String(script) };
}

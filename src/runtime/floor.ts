/**
 * The lowest versions of Node known to be sound, one for each line that the service runs on. This is the only place to
 * change after a security release of Node; SECURITY.md says when.
 */

interface Mended {
  /** As the CVE list numbers it. */
  readonly id: string;
  /** The part of Node that it affects, and how. */
  readonly touches: string;
}

interface SoundRelease {
  readonly version: string;
  /** The day of the security release. */
  readonly releasedOn: string;
  /** Why nothing below is sound, the worst first. Flaws that do not affect the service are not listed. */
  readonly mended: readonly Mended[];
}

/** Security release of 2026-10-21, the same for both lines. */
const mended: readonly Mended[] = [
  { id: 'CVE-2026-111497', touches: 'the Brotli decoder writes out of bounds, rated 9.8' },
  { id: 'CVE-2026-105482', touches: 'dns: names with a NUL byte' },
  { id: 'CVE-2026-105483', touches: 'tls: addresses as names of hosts' },
  { id: 'CVE-2026-106069', touches: 'tls: addresses written in other ways' },
  { id: 'CVE-2026-106073', touches: 'the permission model: realpathSync tells what exists' },
];

/** By major version. */
export const soundReleases: Readonly<Record<number, SoundRelease>> = {
  24: { version: '24.22.1', releasedOn: '2026-10-21', mended },
  26: { version: '26.12.1', releasedOn: '2026-10-21', mended },
};

/** Whether a version is known to be sound, for `doctor`, `/readyz` and the log. */
export interface Judgement {
  readonly version: string;
  readonly state: 'ok' | 'degraded';
  /** In words; null when it is sound. */
  readonly reason: string | null;
  readonly remedy: string | null;
}

const remedy = 'install a newer Node and put it on the PATH: README.md, "Node"';

/** Judges a version of Node, written with or without a `v`. */
export function judgeNode(written: string): Judgement {
  const version = written.replace(/^v/, '');
  const sound = soundReleases[majorOf(version)];
  if (!sound) {
    const known = Object.values(soundReleases).map((release) => release.version);
    const reason = `no version of this release line is known to be sound; the lowest sound versions are ${known.join(' and ')}`;
    return { version, state: 'degraded', reason, remedy };
  }
  if (compareVersions(version, sound.version) >= 0) return { version, state: 'ok', reason: null, remedy: null };
  const [worst] = sound.mended;
  const reason =
    `below ${sound.version} of ${sound.releasedOn}, the lowest version known to be sound: it lacks the fixes for ` +
    `${worst?.id} (${worst?.touches}) and ${sound.mended.length - 1} more`;
  return { version, state: 'degraded', reason, remedy };
}

export function majorOf(version: string): number {
  return Number(/^v?(\d+)\./.exec(version)?.[1] ?? Number.NaN);
}

/** Negative if the first is older. A pre-release (`-rc.1`, `-nightly…`) comes before the release of its number. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  for (const [index, part] of first.entries()) {
    const difference = part - (second[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function partsOf(version: string): readonly number[] {
  const [, major, minor, patch, more] = /^v?(\d+)\.(\d+)\.(\d+)(.*)$/.exec(version) ?? [];
  return [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0), more === '' ? 1 : 0];
}

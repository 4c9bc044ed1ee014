/** Says in one line why a native add-on cannot be loaded here, and what to do. Imports nothing: it works where little does. */

const needs =
  'needed are Linux with glibc 2.34 and GLIBCXX_3.4.29 (hooks: GLIBCXX_3.4.30) or with musl, or macOS, on x64 or arm64: ' +
  'README.md, "Platforms"';

/** What the system's loader, the loaders of the packages and Node say, each with the part that tells the cause. */
const causes: readonly (readonly [said: RegExp, cause: (match: RegExpExecArray) => string])[] = [
  [
    /version [`'"](GLIBC(?:XX)?_[\d.]+)' not found/,
    ([, version]) => `this system's C or C++ library has no ${version}`,
  ],
  [
    /(libstdc\+\+\.so\.6|ld-linux-[\w-]+\.so\.\d|libc\.musl-\w+\.so\.1): (?:cannot open shared|No such file)/,
    ([, file]) => `${file} is missing`,
  ],
  [
    /Error (?:loading shared library (\S+?):|relocating)/,
    ([, file]) => (file ? `${file} is missing` : 'it was built for another C library'),
  ],
  [/NODE_MODULE_VERSION (\d+)/, ([, abi]) => `it was built for another Node (ABI ${abi})`],
  [
    /No native build was found for platform=(\w+) arch=(\w+)[^\n]*?abi=(\d+)/,
    ([, platform, arch, abi]) => `there is none for ${platform} on ${arch} with Node ABI ${abi}`,
  ],
  [
    /Cannot find native binding|Cannot find module '@node-rs\/[\w-]+'/,
    () => `there is none for ${process.platform} on ${process.arch}`,
  ],
  [
    /ERR_DLOPEN_FAILED|invalid ELF header|file too short|wrong ELF class/,
    () => 'its file is damaged or of another system',
  ],
];

const addOns = /better[-_]sqlite3|isolated-vm|@node-rs\/(?:argon2|bcrypt)/;

/** Null for any other trouble. `said` may be the whole output of a program that ended. */
export function explainLoading(said: string): string | null {
  for (const [pattern, cause] of causes) {
    const match = pattern.exec(said);
    if (!match) continue;
    const name = addOns.exec(said)?.[0].replace('_', '-');
    return `the native add-on ${name === undefined ? '' : `${name} `}cannot be loaded, since ${cause(match)}; ${needs}`;
  }
  return null;
}

/** The same for an error that was thrown, with its causes. */
export function explainLoadingError(error: unknown): string | null {
  const words: string[] = [];
  for (let one = error; one instanceof Error && words.length < 10; one = one.cause) {
    words.push(
      `${'code' in one ? String(one.code) : ''} ${one.message} ${'requireStack' in one ? String(one.requireStack) : ''}`,
    );
  }
  return explainLoading(words.join('\n'));
}

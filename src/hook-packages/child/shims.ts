/** The packages that replace Node's own modules, with their dependencies, as they are embedded in the program. */

/** Module names and the specifiers of the packages that replace them. */
export const shimPackages: Readonly<Record<string, string>> = {
  __proto__: null as never,
  assert: 'assert/',
  buffer: 'buffer/',
  events: 'events/',
  path: 'path-browserify',
  querystring: 'querystring-es3',
  url: 'url/',
  util: 'util/',
};

export interface ShimFile {
  readonly contents: string;
  /** Import specifiers and the files they resolve to; null for one that is empty in browsers. */
  readonly imports: Readonly<Record<string, string | null>>;
}

/** Files refer to each other by name. */
export interface Shims {
  /** The file of each module of Node. */
  readonly modules: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, ShimFile>>;
}

/**
 * The packages that stand in the place of Node's own modules, with all that they need, as they are put into the
 * program.
 */

/** By the module's name, what `require` finds the package by. */
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
  /** By what the file asks for, the file that it gets; null for what is empty in browsers. */
  readonly imports: Readonly<Record<string, string | null>>;
}

/** Every file has a name by which the others find it. */
export interface Shims {
  /** The file of each module of Node. */
  readonly modules: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, ShimFile>>;
}

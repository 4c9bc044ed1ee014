/** What has programs that a test starts find what Node made of their sources before; nothing without such a folder. */

const folder = process.env['NODE_COMPILE_CACHE'];

export const compiledEnvironment: Readonly<Record<string, string>> =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };

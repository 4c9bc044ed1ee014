/** Why the file system refused, by the code of its error. */
export const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** In words, or the code itself where there are none. */
export function fileFaultOf(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return fileFaults[code] ?? code;
}

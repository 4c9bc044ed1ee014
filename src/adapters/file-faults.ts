/** Why the file system refused, by the code of its error. */
export const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** Why nothing could be written to a file. */
export const writingFaults: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EACCES: 'the folder is not writable',
  EPERM: 'the folder is not writable',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

/** In words, or the code itself where there are none. */
export function fileFaultOf(error: unknown, faults = fileFaults): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return faults[code] ?? code;
}

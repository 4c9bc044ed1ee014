/** Package files as a registry keeps them, written byte by byte so that a test can write what npm would not. */

import { gzipSync } from 'node:zlib';

export interface Entry {
  readonly name: string;
  readonly content?: string | Buffer;
  /**
   * A file unless said: a letter of POSIX.1-1988 ustar (`1` a hard link, `2` a symbolic link), of PAX or of GNU tar.
   */
  readonly type?: string;
  readonly link?: string;
  /** 0644 unless said. */
  readonly mode?: number;
  /** What the header says in place of the content's length: twelve characters. */
  readonly size?: string;
}

/** An extended header (POSIX.1-2001 pax), for the next entry or, as `g`, for all that follow. */
export function pax(records: Readonly<Record<string, string>>, type: 'x' | 'g' = 'x'): Entry {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(rest);
    while (String(length).length + Buffer.byteLength(rest) !== length) {
      length = String(length).length + Buffer.byteLength(rest);
    }
    return `${length}${rest}`;
  });
  return { name: 'PaxHeader', type, content: lines.join('') };
}

function octal(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, '0')}\0`;
}

/** A header of POSIX.1-1988 ustar. */
function headerOf({ name, type = '0', link = '', mode = 0o644, size: said }: Entry, size: number): Buffer {
  const header = Buffer.alloc(512);
  const put = (text: string, at: number) => header.write(text, at, 'latin1');
  put(name, 0);
  for (const [value, at, length] of [
    [mode, 100, 8],
    [0, 108, 8],
    [0, 116, 8],
    [size, 124, 12],
    [0, 136, 12],
  ] as const) {
    put(octal(value, length), at);
  }
  if (said !== undefined) put(said, 124);
  put('        ', 148);
  put(type, 156);
  put(link, 157);
  put('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

export function tarball(entries: readonly Entry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [headerOf(entry, content.length), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]), { level: 1 });
}

import { create } from 'qrcode';

/** A QR code as the path of its dark modules, each one unit wide. */
interface QrCode {
  /** Modules on each side, with the quiet zone around them (ISO/IEC 18004 §6.3.8). */
  readonly size: number;
  /** Path data of the dark modules. */
  readonly path: string;
}

const quietZone = 4;

/**
 * Draws a text. As a path in the page it needs neither a script nor a `data:` image, which the pages' policy forbids.
 */
export function qrCode(text: string): QrCode {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const rows = Array.from({ length: modules.size }, (_, row) => rowPath(modules.data, modules.size, row));
  return { size: modules.size + 2 * quietZone, path: rows.join('') };
}

/** The dark runs of one row. */
function rowPath(data: ArrayLike<number>, size: number, row: number): string {
  let path = '';
  for (let column = 0; column < size; column += 1) {
    if (!data[row * size + column]) continue;
    const start = column;
    while (column + 1 < size && data[row * size + column + 1]) column += 1;
    const width = column - start + 1;
    path += `M${start + quietZone} ${row + quietZone}h${width}v1h-${width}z`;
  }
  return path;
}

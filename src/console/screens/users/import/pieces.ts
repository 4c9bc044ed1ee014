/** A file of users in pieces that one call takes. */

import type { Schemas } from '../../../api/contract.ts';
import { Problem } from '../../../api/problem.ts';

export type Format = Schemas['UserFileFormat'];

export interface Piece {
  /** Whole lines; of CSV below the names of the columns. */
  readonly content: string;
  /** What is added to a line's number in the piece to get that in the file. */
  readonly linesBefore: number;
  /** Bytes of the file up to the end of the piece. */
  readonly read: number;
}

/** As the contract has them: users, characters, and bytes of a body, of which a few are for its other members. */
const mostUsers = 500;
const mostCharacters = 60_000;
const mostBytes = 65_536 - 256;

interface Line {
  /** With the line feed at its end. */
  readonly text: string;
  /** How many lines of the file it is: a cell in quotes may have line feeds. */
  readonly lines: number;
  /** Bytes of the file up to its end. */
  readonly read: number;
}

const encoder = new TextEncoder();
const bytesOf = (text: string) => encoder.encode(text).length;
/** Within a body, without the quotes around a text. */
const bytesInBody = (text: string) => bytesOf(JSON.stringify(text)) - 2;

/** Throws `Problem` for a file that is not UTF-8, and for a line that no call takes. */
export async function* piecesOf(file: Blob, format: Format): AsyncGenerator<Piece, void, undefined> {
  let heading: Line | null = null;
  let linesRead = 0;
  let piece: Line[] = [];
  let [characters, bytes] = [0, 0];
  const finish = (): Piece => {
    const lines = piece.reduce((sum, one) => sum + one.lines, 0);
    const linesBefore = linesRead - lines - (heading?.lines ?? 0);
    const content = [heading?.text ?? '', ...piece.map(({ text }) => text)].join('');
    return { content, linesBefore, read: piece.at(-1)?.read ?? 0 };
  };
  const begin = () => {
    piece = [];
    characters = heading?.text.length ?? 0;
    bytes = heading ? bytesInBody(heading.text) : 0;
  };
  begin();
  for await (const line of linesOf(file, format)) {
    if (format === 'csv' && heading === null) {
      linesRead += line.lines;
      if (line.text.trim() === '') continue;
      heading = line;
      begin();
      continue;
    }
    const added = bytesInBody(line.text);
    const isFull =
      piece.length === mostUsers || characters + line.text.length > mostCharacters || bytes + added > mostBytes;
    if (isFull && piece.length > 0) {
      yield finish();
      begin();
    }
    if (characters + line.text.length > mostCharacters || bytes + added > mostBytes) throw tooLong(linesRead + 1);
    linesRead += line.lines;
    characters += line.text.length;
    bytes += added;
    piece.push(line);
  }
  if (piece.length > 0) yield finish();
}

function tooLong(line: number): Problem {
  return new Problem(0, `Line ${line} is longer than any user. Is there a quote without an end?`);
}

/** Lines as the format divides them. */
async function* linesOf(file: Blob, format: Format): AsyncGenerator<Line, void, undefined> {
  let [text, lines, isQuoted] = ['', 0, false];
  let [read, total] = [0, 0];
  for await (const chunk of textsOf(file)) {
    for (const part of chunk.split(/(?<=\n)/)) {
      text += part;
      read += bytesOf(part);
      // A quote within quotes is written twice, so it changes nothing.
      if (format === 'csv' && part.split('"').length % 2 === 0) isQuoted = !isQuoted;
      if (part.endsWith('\n')) lines += 1;
      if (text.length > mostCharacters) throw tooLong(total + 1);
      if (!part.endsWith('\n') || isQuoted) continue;
      yield { text, lines, read };
      total += lines;
      [text, lines] = ['', 0];
    }
  }
  if (text !== '') yield { text, lines: lines + 1, read };
}

async function* textsOf(file: Blob): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = decoder.decode(value, { stream: !done });
      if (text !== '') yield text;
      if (done) return;
    }
  } catch (error) {
    if (error instanceof TypeError) throw new Problem(0, 'The file is not UTF-8. Save it again in that encoding.');
    throw new Problem(0, 'The file cannot be read any more. Choose it again.');
  } finally {
    reader.releaseLock();
  }
}

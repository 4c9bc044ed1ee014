import { Failure } from '../domain/failure.ts';

/** A place in a document that moves forward only, and says where something is wrong. */
export class XmlScanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get atEnd(): boolean {
    return this.at === this.text.length;
  }

  sees(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  skip(text: string): void {
    this.at += text.length;
  }

  /** Moves past what a sticky pattern matches here. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  /** What stands before the next `end`, which is passed. `from` is where its beginning stood. */
  until(end: string, from: number): string {
    const found = this.text.indexOf(end, this.at);
    if (found < 0) this.fail(`${end} is missing`, from);
    const text = this.text.slice(this.at, found);
    this.at = found + end.length;
    return text;
  }

  fail(what: string, at = this.at): never {
    const before = this.text.slice(0, at);
    const line = before.split('\n').length;
    const column = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1;
    throw new Failure('request_malformed', {
      name: 'the body',
      message: `the body is not valid XML at line ${line}, column ${column}: ${what}`,
    });
  }
}

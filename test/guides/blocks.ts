/** The blocks of code of a page, with what the words behind their fence say about them. */

/** What is done with a block. */
export type Block =
  /**
   * Commands that end. `browser`: they read the code that a sign-in in the browser ends with. `stopped`: the reader has
   * stopped the service before.
   */
  | {
      readonly kind: 'commands';
      readonly line: number;
      readonly text: string;
      readonly needs: 'browser' | 'stopped' | null;
    }
  /** A command that goes on: a terminal of its own. `port` answers when it is ready. */
  | { readonly kind: 'server'; readonly line: number; readonly text: string; readonly port: number }
  /** A file that the reader saves. */
  | { readonly kind: 'file'; readonly line: number; readonly text: string; readonly name: string }
  /** Commands for another machine, or that need rights or tools that not everybody has. */
  | { readonly kind: 'elsewhere'; readonly line: number; readonly text: string };

const usualPort = 3000;
const knownWords = /^(?:server(?:=\d+)?|browser|stopped|elsewhere|file=[\w./[\]-]+)$/;

/**
 * Reads the blocks in the languages `sh`, and of any language those with `file=`. Other blocks are for reading. Throws
 * for a word that is not known, so that a slip of the pen is not a block that nobody runs.
 */
export function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  for (const { 0: whole, 1: info = '', 2: text = '', index } of markdown.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)) {
    const line = markdown.slice(0, index).split('\n').length;
    const [language, word, ...more] = info.trim().split(/\s+/);
    if (more.length > 0 || (word !== undefined && !knownWords.test(word))) {
      throw new Error(`line ${line}: unknown words behind the fence: ${info}`);
    }
    const block = blockOf(language ?? '', word, text, line);
    if (block && whole) blocks.push(block);
  }
  return blocks;
}

function blockOf(language: string, word: string | undefined, text: string, line: number): Block | null {
  const [key, value] = word?.split('=', 2) ?? [];
  if (key === 'file' && value !== undefined) return { kind: 'file', line, text, name: value };
  if (language !== 'sh') return null;
  if (key === 'server') return { kind: 'server', line, text, port: Number(value ?? usualPort) };
  if (key === 'elsewhere') return { kind: 'elsewhere', line, text };
  return { kind: 'commands', line, text, needs: key === 'browser' || key === 'stopped' ? key : null };
}

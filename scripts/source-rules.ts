/** Rules for the text of src that no linter has: each names the places, as `file:line` and what is wrong there. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The modules of src, by their paths below it. Lines of comment are empty. */
function* sources(root: string): Generator<{ readonly file: string; readonly source: string }> {
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file)) continue;
    const source = readFileSync(join(root, 'src', file), 'utf8');
    yield { file, source: source.replace(/^[ \t]*(?:\/\/|\/?\*).*$/gm, '') };
  }
}

function lineOf(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}

const environmentReaders = [
  // Quoted it is the name of something in another program.
  /(?<!['"])\bprocess\s*(?:\?\.|\.)\s*env\b/g,
  /\bprocess\s*(?:\?\.)?\[\s*['"`]env/g,
  /\{[^{}]*\benv\b[^{}]*\}\s*=\s*(?:globalThis\s*\.\s*)?process\b/g,
  /\bimport\s[^;]*\benv\b[^;]*\bfrom\s*['"](?:node:)?process['"]/g,
];

/** `file:line` of everything in src that reads the environment outside `src/config.ts`. */
export function findReadersOfEnvironment(root: string): string[] {
  const places: string[] = [];
  for (const { file, source } of sources(root)) {
    if (file === 'config.ts') continue;
    for (const pattern of environmentReaders) {
      for (const { index } of source.matchAll(pattern)) {
        places.push(`src/${file}:${lineOf(source, index)}: only src/config.ts reads the environment`);
      }
    }
  }
  return places;
}

/**
 * The only places that may call the store functions which admit a user; all others call `src/domain/opening/open.ts`.
 * The console, which runs in browsers, has the store's verbs nowhere: it knows the names of actions, to show them.
 */
const openers = /^(store\/|domain\/opening\/openers\/|console\/)/;

/** Exceptions: a client's own token, which has no user, and the refusal of a device. */
const opening: readonly { readonly what: RegExp; readonly also: readonly string[] }[] = [
  { what: /\bsessions\s*(?:\?\.|\.)\s*(?:create|renew)\b/g, also: [] },
  { what: /\bgrants\s*(?:\?\.|\.)\s*create\b/g, also: [] },
  { what: /\bauthorizations\s*(?:\?\.|\.)\s*createCode\b/g, also: [] },
  { what: /\badministrators\s*(?:\?\.|\.)\s*(?:addGrant|redeemGrant)\b/g, also: [] },
  { what: /\bdeviceCodes\s*(?:\?\.|\.)\s*decide\b/g, also: ['domain/device/finish-device.ts'] },
  {
    what: /\baddAccessTokens?\b/g,
    also: [
      'domain/tokens/client-credentials.ts',
      'domain/gathered-writes.ts',
      'metrics/metered-store.ts',
      'tracing/traced.ts',
    ],
  },
  {
    what: /'sign_in\.succeeded'/g,
    also: [
      'domain/audit/events.ts',
      'domain/audit/event-details.ts',
      'domain/opening/open.ts',
      'domain/audit/sign-ins.ts',
    ],
  },
  {
    what: /\blastLogin\s*:(?!\s*null\b)/g,
    also: [],
  },
];

/** `file:line` of everything in src that opens a session, a code or a grant elsewhere. */
export function findSideDoors(root: string): string[] {
  const places: string[] = [];
  for (const { file, source } of sources(root)) {
    if (openers.test(file)) continue;
    for (const { what, also } of opening) {
      if (also.includes(file)) continue;
      for (const { 0: found, index } of source.matchAll(what)) {
        places.push(
          `src/${file}:${lineOf(source, index)}: ${found} opens something past src/domain/opening/open.ts (exceptions: \`opening\` in scripts/source-rules.ts)\n`,
        );
      }
    }
  }
  return places;
}

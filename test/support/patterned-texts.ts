/** Which characters the contracts allow in the texts of a request, by `pattern`, and whether the service agrees. */

import assert from 'node:assert/strict';
import { everyText, hasControlCharacter } from '../../src/http/control-characters.ts';
import { type Operation, operationsOf, type Schema } from '../properties/operations.ts';
import type { Answer } from './conforms.ts';

export interface PatternedText {
  readonly operation: Operation;
  /** Of the body; a number is a place in a list. */
  readonly path: readonly (string | number)[];
  readonly pattern: RegExp;
  /** A text that follows the pattern. */
  readonly example: string;
}

/** The texts of request bodies with a pattern of their own, as the contract is written. */
export function patternedTexts(surface: string): PatternedText[] {
  return operationsOf([surface], true).flatMap((operation) => {
    const [media] = operation.media;
    return media ? textsIn(operation, media.schema, [], media.examples[0]) : [];
  });
}

function textsIn(
  operation: Operation,
  written: Schema,
  path: PatternedText['path'],
  example: unknown,
): PatternedText[] {
  const { pattern, items, properties = {}, additionalProperties: more, examples = [] } = operation.resolve(written);
  const shown = (example ?? examples[0]) as Readonly<Record<string | number, unknown>> | string | undefined;
  if (pattern !== undefined && pattern !== everyText) {
    return [{ operation, path, pattern: new RegExp(pattern, 'u'), example: String(shown ?? 'example') }];
  }
  const inside = (step: string | number, schema: Schema) =>
    textsIn(operation, schema, [...path, step], typeof shown === 'object' ? shown?.[step] : undefined);
  return [
    ...Object.entries(properties).flatMap(([name, member]) => inside(name, member)),
    ...(items ? inside(0, items) : []),
    ...(typeof more === 'object' ? inside('any', more) : []),
  ];
}

const latin1 = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

/** The example with `character` in it. */
function withCharacter(example: string, character: string): string {
  return example.slice(0, -2) + character + example.slice(-1);
}

/** The characters, up to U+00FF, at which the pattern turns from allowed to refused or back. */
function edgesOf({ pattern, example }: PatternedText): Record<'allowed' | 'refused', string[]> {
  const verdicts = latin1.map((character) => pattern.test(withCharacter(example, character)));
  const isEdge = (code: number) => [code - 1, code + 1].some((near) => verdicts[near] !== verdicts[code]);
  const edges = latin1.filter((_, code) => isEdge(code));
  const allowed = edges.filter((character) => verdicts[character.charCodeAt(0)]);
  return { allowed, refused: edges.filter((character) => !allowed.includes(character)) };
}

/** The body with `value` at the path; what is missing on the way is made. */
function bodyWith(body: unknown, [step, ...rest]: PatternedText['path'], value: string): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') return [bodyWith((body as readonly unknown[] | undefined)?.[step], rest, value)];
  const object = (body ?? {}) as Readonly<Record<string, unknown>>;
  return { ...object, [step]: bodyWith(object[step], rest, value) };
}

/**
 * Asserts that the service refuses each character that the pattern refuses and names the member, in a sentence without
 * the pattern; and that it refuses no character that the pattern allows.
 */
export async function assertCharacters(
  text: PatternedText,
  body: unknown,
  send: (body: unknown) => Promise<Answer>,
): Promise<void> {
  const { operation, path, example } = text;
  const name = [operation.name, ...path].join(' ');
  const { allowed, refused } = edgesOf(text);
  assert.ok(text.pattern.test(example) && refused.length > 0, name);
  const named = path.findLast((step) => typeof step === 'string' && step !== 'any');
  for (const character of refused) {
    const answer = await send(bodyWith(body, path, withCharacter(example, character)));
    const what = `${name} with ${JSON.stringify(character)}: ${answer.status} ${answer.text}`;
    assert.ok(answer.status >= 400 && answer.status < 500, what);
    // XML itself refuses these, wherever they stand.
    const isDocument = operation.surface === 'xml' && hasControlCharacter(character);
    assert.ok(isDocument || answer.text.includes(String(named)), what);
    assert.doesNotMatch(answer.text, /must match|pattern|documented form/, what);
  }
  for (const character of allowed) {
    const answer = await send(bodyWith(body, path, withCharacter(example, character)));
    assert.doesNotMatch(answer.text, /contains a [^.]*character/, `${name} with ${JSON.stringify(character)}`);
  }
}

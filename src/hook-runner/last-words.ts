import { explainLoading } from '../runtime/add-ons.ts';

const mostCharacters = 300;

/** Why a process ended, from what it wrote on standard error: the line of its error, which Node's stack hides. */
export function reasonIn(lastWords: string): string {
  const lines = lastWords.split('\n').map((line) => line.trim());
  const said = lines.find((line) => /^(?:\w*Error\b|error:)/.test(line)) ?? lines.find((line) => line !== '') ?? '';
  return explainLoading(lastWords) ?? said.slice(0, mostCharacters);
}

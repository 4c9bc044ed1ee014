import { Failure } from '../../domain/failure.ts';
import { readId } from '../../http/integer-text.ts';

const mostIds = 100;

/** Ids separated by commas. Throws `request_invalid`. */
export function readIds(name: string, text: string): number[] {
  const parts = text.split(',');
  const ids = parts.map((part) => readId(part)).filter((id) => id !== null);
  if (parts.length > mostIds || ids.length < parts.length) {
    throw new Failure('request_invalid', { name, message: `${name} must be up to ${mostIds} ids separated by commas` });
  }
  return ids;
}

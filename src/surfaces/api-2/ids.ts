import { Failure } from '../../domain/failure.ts';

const mostIds = 100;
const largestId = 2 ** 31 - 1;

/** Ids separated by commas. Throws `request_invalid`. */
export function readIds(name: string, text: string): number[] {
  const parts = text.split(',');
  const ids = parts.map((part) => (/^\d{1,10}$/.test(part) ? Number(part) : Number.NaN));
  if (parts.length > mostIds || !ids.every((id) => id >= 1 && id <= largestId)) {
    throw new Failure('request_invalid', { name, message: `${name} must be up to ${mostIds} ids separated by commas` });
  }
  return ids;
}

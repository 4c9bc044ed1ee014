/** What the values of standard claims look like (OpenID Connect Core §5.1). */

import type { ClaimForm } from '../accounts/claims-mapping.ts';

/** The claim's value from an attribute's text, as it stands there; undefined if it does not fit. */
export function readForm(form: ClaimForm, text: string): string | boolean | undefined {
  if (form === 'boolean') return text === 'true' || (text === 'false' ? false : undefined);
  return fits[form](text) ? text : undefined;
}

const fits: Readonly<Record<Exclude<ClaimForm, 'boolean'>, (text: string) => boolean>> = {
  text: (text) => text.trim() !== '',
  web_address: (text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text),
  date: isDate,
  time_zone: isTimeZone,
  language: (text) => isTaken(() => Intl.getCanonicalLocales(text)),
  phone: isPhone,
};

/** By name. To ask `Intl` takes longer than all the rest of a user's claims. */
const timeZones = new Map<string, boolean>();
const mostTimeZones = 1000;

function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][\w/+-]{0,63}$/.test(text)) return false;
  const known = timeZones.get(text);
  if (known !== undefined) return known;
  const isOne = isTaken(() => new Intl.DateTimeFormat('en', { timeZone: text }));
  if (timeZones.size < mostTimeZones) timeZones.set(text, isOne);
  return isOne;
}

/** `YYYY-MM-DD`, with the year 0000 if it is withheld, or `YYYY`. */
function isDate(text: string): boolean {
  if (/^\d{4}$/.test(text)) return text !== '0000';
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  // 2000 has a 29th of February.
  const day = text.replace(/^0000/, '2000');
  const time = Date.parse(`${day}T00:00:00Z`);
  // A 30th of February would be read as the 1st of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** E.164, with separators for the eye, and an extension as in RFC 3966. */
function isPhone(text: string): boolean {
  const [, number] = /^(\+[1-9][\d ().-]*)(?:;ext=\d{1,15})?$/.exec(text) ?? [];
  const digits = number?.replace(/\D/g, '').length ?? 0;
  return digits >= 7 && digits <= 15;
}

/** Whether `Intl` knows it: it throws a RangeError otherwise. */
function isTaken(construct: () => unknown): boolean {
  try {
    construct();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

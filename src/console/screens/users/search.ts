import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';

/**
 * Users whose e-mail address, user name, first or last name begins with the text, or whose first and last names begin
 * with its words: a question for each, since a list has one order. Lists tell `ada` from `Ada` in names; most names
 * begin with a capital letter, so both are asked for.
 */
export async function searchUsers(text: string, most: number): Promise<readonly Schemas['User'][]> {
  const plain = text.replaceAll('*', '').trim();
  if (plain === '') return [];
  const lists = await Promise.all(
    filtersFor(plain).map((filter) => api.get('/api/2/users', { query: { ...filter, limit: most } })),
  );
  const found = new Map(lists.flatMap(({ data }) => data.map((user) => [user.id, user] as const)));
  return [...found.values()].slice(0, most);
}

type Filter = Partial<Record<'email' | 'username' | 'firstname' | 'lastname', string>>;

function filtersFor(text: string): readonly Filter[] {
  const names: readonly Filter[] = [{ email: `${text}*` }, { username: `${text}*` }];
  if (text.includes('@')) return names;
  const [first = '', ...others] = text.split(/\s+/);
  if (others.length > 0) {
    const last = others.join(' ');
    return waysToWrite(first).flatMap((firstname) =>
      waysToWrite(last).map((lastname) => ({ firstname: `${firstname}*`, lastname: `${lastname}*` })),
    );
  }
  const ways = waysToWrite(text).map((way) => `${way}*`);
  return [...names, ...ways.map((firstname) => ({ firstname })), ...ways.map((lastname) => ({ lastname }))];
}

function waysToWrite(text: string): readonly string[] {
  const [letter = '', ...rest] = text;
  return [...new Set([text, letter.toLocaleUpperCase('en') + rest.join('')])];
}

import { api } from '../api/api.ts';
import type { Schemas } from '../api/contract.ts';

const members = ['email', 'username', 'firstname', 'lastname'] as const;

/**
 * Users of whom one of these members begins with the text: a question for each, since a list has one order. `text` is
 * not a pattern.
 */
export async function searchUsers(text: string, most: number): Promise<readonly Schemas['User'][]> {
  const plain = text.replaceAll('*', '').trim();
  if (plain === '') return [];
  const asked = plain.includes('@') ? (['email', 'username'] as const) : members;
  const lists = await Promise.all(
    asked.map((member) => api.get('/api/2/users', { query: { [member]: `${plain}*`, limit: most } })),
  );
  const found = new Map(lists.flatMap(({ data }) => data.map((user) => [user.id, user] as const)));
  return [...found.values()].slice(0, most);
}

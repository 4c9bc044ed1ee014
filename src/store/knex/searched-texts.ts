/**
 * The texts of users that lists search by any part of them. On SQLite an index of their parts is kept behind the writes
 * (sqlite/user-search.ts), for which `users.searched` says what was indexed of a user: any other text, or none, is that
 * of a user who waits, whoever wrote it. On PostgreSQL it is an index like any other (postgres/user-search.ts).
 */

export const searchedTexts = [
  'email_key',
  'username_key',
  'firstname',
  'lastname',
  'title',
  'department',
  'company',
  'phone',
  'external_id',
] as const;

/** All of them as one text, different for different ones. */
export const textsOfUser = `json_array(${searchedTexts.join(', ')})`;

/** Whether a user waits: it is the condition of an index, which has nobody else in it. */
export const isWaiting = `searched is not ${textsOfUser}`;

export function isSearched(column: string): boolean {
  return (searchedTexts as readonly string[]).includes(column);
}

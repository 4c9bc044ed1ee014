/** What the numbers of users mean, and what people are called. */

export const statuses = [
  [0, 'Unactivated'],
  [1, 'Active'],
  [2, 'Suspended'],
  [3, 'Locked'],
  [4, 'Password expired'],
  [5, 'Awaiting reset'],
  [7, 'Password pending'],
] as const;

export function statusOf(status: number): string {
  return statuses.find(([known]) => known === status)?.[1] ?? String(status);
}

export interface Named {
  readonly id: number;
  readonly firstname?: string | null;
  readonly lastname?: string | null;
  readonly email?: string | null;
  readonly username?: string | null;
}

export function nameOf({ id, firstname, lastname, email, username }: Named): string {
  return [firstname, lastname].filter(Boolean).join(' ') || email || username || `User ${id}`;
}

interface App {
  readonly id: number;
  readonly name: string;
}

/** The name of an app, with its number where others have the same name. */
export function distinctName({ id, name }: App, all: readonly App[]): string {
  return all.some((other) => other.id !== id && other.name === name) ? `${name} (app ${id})` : name;
}

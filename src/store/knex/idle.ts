import { translate } from './errors.ts';

/** A database that nobody can write to. */
export interface Held {
  /** Throws `unavailable` when that is not certain any more. */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Keeps everybody from writing to the database, which must exist, while `work` runs. Throws `unavailable` while another
 * process of this service uses it.
 */
export async function withoutWriters<Result>(url: string, work: (held: Held) => Promise<Result>): Promise<Result> {
  const held = await hold(url).catch((error) => {
    throw translate(error);
  });
  try {
    return await work(held);
  } finally {
    await held.release();
  }
}

async function hold(url: string): Promise<Held> {
  if (url.startsWith('sqlite:')) return (await import('./sqlite/idle.ts')).hold(url);
  return (await import('./postgres/idle.ts')).hold(url);
}

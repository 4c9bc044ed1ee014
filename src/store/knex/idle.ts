import { translate } from './errors.ts';

/** Throws `unavailable` while another process of this service uses the database, which must exist. */
export async function requireIdle(url: string): Promise<void> {
  try {
    if (url.startsWith('sqlite:')) await (await import('./sqlite/idle.ts')).requireIdle(url);
    else await (await import('./postgres/idle.ts')).requireIdle(url);
  } catch (error) {
    throw translate(error);
  }
}

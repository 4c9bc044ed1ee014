import { translate } from './errors.ts';

/** Throws `unavailable` while another process of this service uses the database, which must exist. */
export async function requireIdle(url: string): Promise<void> {
  const idle = url.startsWith('sqlite:') ? await import('./sqlite/idle.ts') : await import('./postgres/idle.ts');
  try {
    await idle.requireIdle(url);
  } catch (error) {
    throw translate(error);
  }
}

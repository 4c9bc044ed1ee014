import type { Random } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { Failure } from '../failure.ts';
import { type SealingKey, sealingKey, sealText, unsealText } from './sealing.ts';

/** The file that holds the master key. */
export interface KeyFile {
  readonly path: string;
  /** Its text, or null when there is no such file. Throws `unavailable` when others can read it. */
  read(): string | null;
  /** Writes a new file that only its owner can read; false when there is one already. */
  make(text: string): boolean;
}

interface MasterKeyParts {
  readonly file: KeyFile;
  readonly store: Pick<StoreVerbs, 'accounts' | 'facts'>;
  readonly random: Random;
}

/** The fact that the master key is checked by; no two installations have the same value. */
export const masterKeyFact = 'master_key_check';
const checkPlace = '|facts|master_key_check|v1';
const checkText = 'gatehouse';
const pepperFact = 'password_pepper';
const pepperPlace = '|facts|password_pepper|v1';

/**
 * The master key, created at the first start with an empty database. Throws `unavailable` with a message for the
 * operator when the file is missing although the database holds data, is readable by others, holds no key, or holds
 * another key than the one the database was sealed with. A new key would silently lose everything that is sealed.
 */
export async function openMasterKey({ file, store, random }: MasterKeyParts): Promise<SealingKey> {
  const text = file.read() ?? (await makeMasterKey({ file, store, random }));
  const key = parseMasterKey(file.path, text);
  const known = await store.facts.read(masterKeyFact);
  const check =
    known ?? (await store.facts.keep(masterKeyFact, sealText(key, random, checkPlace, Buffer.from(checkText))));
  checkMasterKey(file.path, key, check);
  return key;
}

/**
 * What `openMasterKey` would report, without creating or storing anything; null when there is nothing to report yet.
 */
export async function inspectMasterKey({ file, store }: Omit<MasterKeyParts, 'random'>): Promise<SealingKey | null> {
  const check = await store.facts.read(masterKeyFact);
  const text = file.read();
  if (text === null) {
    if (check !== null) throw missing(file.path);
    return null;
  }
  const key = parseMasterKey(file.path, text);
  if (check !== null) checkMasterKey(file.path, key, check);
  return key;
}

async function makeMasterKey({ file, store, random }: MasterKeyParts): Promise<string> {
  const used = (await store.facts.read(masterKeyFact)) !== null || (await store.accounts.list()).length > 0;
  if (used) throw missing(file.path);
  const text = random.bytes(32).toString('base64');
  // When two processes start together on an empty database, one creates the file and both read it.
  if (file.make(`${text}\n`)) return text;
  return file.read() ?? text;
}

function parseMasterKey(path: string, text: string): SealingKey {
  const trimmed = text.trim();
  const bytes = Buffer.from(trimmed, 'base64');
  if (bytes.length !== 32 || bytes.toString('base64') !== trimmed) {
    throw refused(`${path} does not contain a master key (32 bytes in base64); restore it from your backup`);
  }
  return sealingKey(bytes);
}

function checkMasterKey(path: string, key: SealingKey, check: string): void {
  try {
    unsealText(key, checkPlace, check);
  } catch (cause) {
    const message = `${path} is not the master key that this database was sealed with; restore the right one`;
    throw refused(message, { cause });
  }
}

function missing(path: string): Failure {
  return refused(
    `the master key file ${path} is missing although the database contains data sealed with it; ` +
      'restore it from your backup, or set MASTER_KEY_FILE to its path',
  );
}

function refused(message: string, options?: ErrorOptions): Failure {
  return new Failure('unavailable', { name: 'master key', message }, options);
}

/** The secret mixed into every password digest: random, kept in the database, sealed under the master key. */
export async function openPepper(
  masterKey: SealingKey,
  { store, random }: Omit<MasterKeyParts, 'file'>,
): Promise<Buffer> {
  const known = await store.facts.read(pepperFact);
  const sealed =
    known ?? (await store.facts.keep(pepperFact, sealText(masterKey, random, pepperPlace, random.bytes(32))));
  return unsealText(masterKey, pepperPlace, sealed);
}

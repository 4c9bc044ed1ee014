/** The RSA pair of all test accounts: `scripts/test.ts` makes it once for a run, as making one takes long. */

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyPair, type KeyPair } from '../../src/domain/keys/key-pairs.ts';

/** The variable that names the file of the private key to the tests; a test file that is run alone makes its own. */
export const pairVariable = 'GATEHOUSE_TEST_RSA';

/** The size that the service makes. */
const bits = 2048;

/** Writes the pair of a run into the folder and answers its file. */
export async function writeSharedPair(folder: string): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256', bits);
  const file = join(folder, 'rsa.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return file;
}

const pairs = new Map<number, Promise<KeyPair>>();

async function makePair(size: number): Promise<KeyPair> {
  const file = process.env[pairVariable];
  if (file === undefined || size !== bits) return generateKeyPair('RS256', size);
  const privateKey = createPrivateKey(readFileSync(file));
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** The pair of this size. */
export function sharedPair(size: number): Promise<KeyPair> {
  const pair = pairs.get(size) ?? makePair(size);
  pairs.set(size, pair);
  return pair;
}

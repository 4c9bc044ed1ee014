/** A service on loopback with a temporary data directory, and its contracts as a developer downloads them. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../../test/support/process.ts';
import { type ServedContract, surfaces } from './judge.ts';

export interface Stage {
  readonly contracts: readonly ServedContract[];
  /** What a program is told of the service, in its environment. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts the service and downloads its contracts into `folder`. */
export async function openStage(folder: string): Promise<Stage> {
  const service = await startService({ database: 'sqlite', demo: true });
  try {
    const url = `http://localhost:${service.port}`;
    const { credential } = JSON.parse(readFileSync(join(service.folder, 'data/demo.json'), 'utf8'));
    return {
      contracts: await Promise.all(surfaces.map((surface) => download(url, surface, folder))),
      env: {
        GATEHOUSE_URL: url,
        GATEHOUSE_CLIENT_ID: credential.client_id,
        GATEHOUSE_CLIENT_SECRET: credential.client_secret,
        GATEHOUSE_BROWSER: fileURLToPath(new URL('browser.ts', import.meta.url)),
        // The browser is a program of this Node.
        PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      },
      close: () => service.installation.dispose(),
    };
  } catch (error) {
    await service.installation.dispose();
    throw error;
  }
}

async function download(url: string, surface: string, folder: string): Promise<ServedContract> {
  mkdirSync(folder, { recursive: true });
  const [yaml, json] = await Promise.all(
    ['yaml', 'json'].map(async (form) => {
      const answer = await fetch(`${url}/openapi/${surface}.${form}`);
      if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
      const file = join(folder, `${surface}.${form}`);
      writeFileSync(file, await answer.text());
      return file;
    }),
  );
  return { surface, yaml: yaml ?? '', json: json ?? '' };
}

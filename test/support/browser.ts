/**
 * A real Chromium for the tests, out of the npm package `@sparticuz/chromium`: nothing is downloaded and no library of
 * the system is needed. It reaches loopback and nothing else. One browser process serves a test file and ends with it.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page, type ViewportSize } from 'playwright-core';

/** What a test may choose about its browser. */
export interface BrowserOptions {
  /** Whether scripts of the page run; true unless said otherwise. axe-core needs them. */
  readonly javaScript?: boolean;
  /** What `prefers-color-scheme` says; `light` unless said otherwise. */
  readonly colorScheme?: 'light' | 'dark';
  /** Size of the page in CSS pixels; 1280 × 800 unless said otherwise. */
  readonly viewport?: ViewportSize;
  /** What `prefers-reduced-motion` says; `reduce` unless said otherwise. */
  readonly reducedMotion?: 'reduce' | 'no-preference';
}

/** Milliseconds; for anything of a page. */
const longestWait = 120_000;

/** A page in its own context: no cookie, cache or storage is shared with another. */
export interface OpenBrowser {
  readonly page: Page;
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** Another Chromium, for machines that the package has no binary for. */
const chosenExecutable = process.env['GATEHOUSE_TEST_CHROMIUM'];
const projectFolder = fileURLToPath(new URL('../..', import.meta.url));
const fontsConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`;

/** Names of loopback resolve as in every browser, addresses and all other names to nothing. */
const hostRules = 'MAP localhost 127.0.0.1, MAP *.localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';

/**
 * Unpacks the package into `node_modules/.cache`, once per version, and gives the folder: the binary, its shared
 * libraries and one font. The package unpacks into the temporary folder, and its libraries only where it believes
 * itself in Amazon's Lambda, so both are pretended to a process made for it. The last step is a rename, for test files
 * that come here at the same time.
 */
async function unpackedFolder(): Promise<string> {
  const manifest = fileURLToPath(new URL('../package.json', import.meta.resolve('@sparticuz/chromium')));
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const cache = join(projectFolder, 'node_modules/.cache');
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) {
    return folder;
  }
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, 'chromium-'));
  try {
    const program = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: projectFolder,
      env: { TMPDIR: staging, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
      timeout: 600_000,
    });
    writeFileSync(join(staging, 'fonts/fonts.conf'), fontsConfiguration);
    renameSync(staging, folder);
  } catch (error) {
    rmSync(staging, { recursive: true });
    if (!existsSync(folder)) {
      throw error;
    }
  }
  return folder;
}

async function launch(): Promise<Browser> {
  const folder = chosenExecutable ? undefined : await unpackedFolder();
  return chromium.launch({
    executablePath: chosenExecutable ?? `${folder}/chromium`,
    // The sandbox needs either a kernel setting or a set-uid file, and does not run as root. Only our own pages open
    // here.
    chromiumSandbox: false,
    // Playwright would close the browser and let the tests run on; Chromium ends with its pipe to this process.
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-quic',
      '--no-proxy-server',
      `--host-resolver-rules=${hostRules}`,
    ],
    env: {
      HOME: folder ?? tmpdir(),
      TZ: 'UTC',
      ...(folder && {
        LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
        FONTCONFIG_PATH: join(folder, 'fonts'),
        XDG_CACHE_HOME: join(folder, 'cache'),
      }),
    },
  });
}

let browser: Promise<Browser> | undefined;

// At the end of the test file that imports this.
after(async () => {
  const launched = await browser?.catch(() => undefined);
  await launched?.close();
});

/** Opens a page in the file's browser, which the first call starts. Waiting for anything ends after two minutes. */
export async function openBrowser(options: BrowserOptions = {}): Promise<OpenBrowser> {
  browser ??= launch();
  const context = await (await browser).newContext({
    javaScriptEnabled: options.javaScript ?? true,
    colorScheme: options.colorScheme ?? 'light',
    viewport: options.viewport ?? { width: 1280, height: 800 },
    reducedMotion: options.reducedMotion ?? 'reduce',
  });
  context.setDefaultTimeout(longestWait);
  return { context, page: await context.newPage(), close: () => context.close() };
}

/**
 * Waits until an expression is true of a page; rejects after two minutes. It is evaluated from outside: what Playwright
 * has for this calls `eval` in the page once the first answer was no, which the policy of our pages forbids.
 */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  const end = performance.now() + longestWait;
  while (!(await page.evaluate(expression))) {
    if (performance.now() > end) throw new Error(`${expression} did not become true`);
    await delay(20);
  }
}

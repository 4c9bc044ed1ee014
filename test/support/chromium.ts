/**
 * A real Chromium out of the npm package `@sparticuz/chromium`: nothing is downloaded and no library of the system is
 * needed. It reaches loopback and nothing else.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

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

/** Starts a browser, which ends with this process or when it is closed. */
export async function launchChromium(): Promise<Browser> {
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

/**
 * openapi-generator for Java. Every warning of the compiler is an error, but for raw types and serial numbers, which are
 * its own.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../conformance/toolchain.ts';
import { type Judge, packageOf, type ServedContract, surfaces } from './judge.ts';
import { generateClient, openapiGenerator } from './openapi-generator.ts';
import { cache } from './tools.ts';

const program = fileURLToPath(new URL('programs/MainJob.java', import.meta.url));

/** Writes the client of a surface upon one of the generator's libraries for HTTP. */
function generate(library: string, contract: ServedContract, folder: string): Promise<void> {
  const name = `gatehouse.${packageOf(contract.surface)}`;
  const packages = { invokerPackage: name, apiPackage: `${name}.api`, modelPackage: `${name}.model` };
  // Else a list that was not given is sent as an empty one, and `listUsers` takes 32 arguments by position.
  const options = { containerDefaultToNull: 'true', useSingleRequestParameter: 'true' };
  return generateClient('java', contract, join(folder, contract.surface), { library, ...packages, ...options });
}

/** The libraries that the generated project asks for, fetched by its own build file. */
async function librariesOf(project: string): Promise<string> {
  const maven = ['mvn', '--quiet', '--batch-mode', `-Dmaven.repo.local=${join(cache, 'maven')}`];
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath';
  await run([...maven, plugin, '-Dmdep.outputFile=classpath.txt'], { cwd: project });
  return readFileSync(join(project, 'classpath.txt'), 'utf8').trim();
}

async function compile(surface: string, folder: string): Promise<void> {
  const project = join(folder, surface);
  const sources = join(project, 'src/main/java');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.java'))
    .map((file) => join(sources, file));
  await javac(project, await librariesOf(project), files);
}

function javac(folder: string, classpath: string, files: readonly string[]): Promise<void> {
  const options = ['-Xlint:all,-rawtypes,-serial', '-Werror', '-proc:none', '--release', '17', '-d', 'classes'];
  // A command line has an end.
  writeFileSync(join(folder, 'arguments.txt'), [...options, ...files].join('\n'));
  return run(['javac', '@arguments.txt'], { cwd: folder, env: { CLASSPATH: classpath } });
}

function judge(library: string): Judge {
  return {
    language: 'java',
    tool: `${openapiGenerator.tool} java, ${library}`,
    version: openapiGenerator.version,
    needs: ['java', 'javac', 'mvn'],
    stages: [
      { word: 'generated', run: (contract, folder) => generate(library, contract, folder) },
      { word: 'compiled', run: ({ surface }, folder) => compile(surface, folder) },
    ],
  };
}

async function doMainJob(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const classes = surfaces.map((surface) => join(folder, surface, 'classes'));
  const libraries = surfaces.map((surface) => readFileSync(join(folder, surface, 'classpath.txt'), 'utf8').trim());
  const classpath = [...classes, ...new Set(libraries.flatMap((list) => list.split(delimiter)))].join(delimiter);
  await javac(folder, classpath, [program]);
  const places = { CLASSPATH: [join(folder, 'classes'), classpath].join(delimiter) };
  await run(['java', 'MainJob'], { cwd: folder, env: { ...env, ...places } });
}

/**
 * The library by default cannot read an answer whose required object is null (`options` of a hook), which is a fault of
 * its template; those upon Jackson can.
 */
export const java: readonly Judge[] = [judge('okhttp-gson'), { ...judge('jersey3'), job: doMainJob }];

/**
 * Finds references that lead nowhere. In the pages at the root and in docs/: files of the repository that are named
 * between backticks or in blocks of code, links, and their anchors. In pages, code and contracts: the pages that they
 * name (`docs/<page>.md`, with an anchor or `, "Heading"`), and sections of docs/document.md.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { anchorOf } from '../src/pages/docs/anchor.ts';

/** A text of the repository, as lines. */
interface Source {
  /** Its path from the root. */
  readonly file: string;
  readonly lines: readonly string[];
}

interface Page extends Source {
  readonly headings: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

interface Repository {
  /** Every file and folder by its path from the root; folders end in a slash. */
  readonly paths: readonly string[];
  readonly pages: ReadonlyMap<string, Page>;
  /** Numbers of the document's sections, and of the numbered items in them. */
  readonly sections: ReadonlySet<string>;
}

const skipped = new Set(['.git', '.cache', 'node_modules', 'data', 'dist', 'coverage']);
/** Its references are planted. */
const ownTest = 'test/scripts/references.test.ts';
/** Generated files repeat what the contracts say. */
const codeFolders = /^(?:src|test|scripts|openapi|bin|types)\/.*\.(?:ts|cts|js|cjs|mjs|yaml|eta)$/;
const pageFiles = /^(?:docs\/)?[^/]+\.md$/;

function* listPaths(root: string, folder = ''): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (skipped.has(entry.name)) continue;
    if (!entry.isDirectory()) yield folder + entry.name;
    else yield* [`${folder}${entry.name}/`, ...listPaths(root, `${folder}${entry.name}/`)];
  }
}

function readSource(root: string, file: string): Source {
  return { file, lines: readFileSync(join(root, file), 'utf8').split('\n') };
}

/** The lines of a page with what stands before them: whether they are in a block of code. */
function* markedLines({
  lines,
}: Source): Generator<{ readonly line: string; readonly at: number; readonly isCode: boolean }> {
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    const isFence = line.trimStart().startsWith('```');
    if (!isFence) yield { line, at: index + 1, isCode };
    else isCode = !isCode;
  }
}

function readPage(source: Source): Page {
  const texts = [...markedLines(source)].filter(({ isCode }) => !isCode);
  const headings = texts.flatMap(({ line }) => /^#{1,6} +(.+?) *$/.exec(line)?.[1] ?? []);
  return { ...source, headings, anchors: new Set(headings.map(anchorOf)) };
}

/** `4.7` of its heading; `1.2` of the second numbered item in section 1. */
function readSections(document: Page | undefined): Set<string> {
  const sections = new Set<string>();
  let section = '';
  for (const line of document?.lines ?? []) {
    const heading = /^#+ (\d+(?:\.\d+)*)/.exec(line)?.[1];
    const item = /^(\d+)\. /.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    if (heading !== undefined || item !== undefined) sections.add(heading ?? `${section}.${item}`);
  }
  return sections;
}

/** The paths that a reference means: `*` and `<name>` are any name, `**` any folders, `{a,b}` either. */
function findPaths({ paths }: Repository, reference: string, isWhole: boolean): string[] {
  const pattern = reference
    .replace(/<[^>]*>/g, '*')
    .replace(/[.+^$()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
    .replace(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`);
  const matcher = new RegExp(`^${isWhole ? '' : '(?:.*/)?'}${pattern}${reference.endsWith('/') ? '' : '/?'}$`);
  return paths.filter((path) => matcher.test(path));
}

const word = /^[\w.@*{},<>-]+(?:\/[\w.@*{},<>-]+)*\/?$/;
const sourceName = /\.(?:ts|cts|js|cjs|mjs|md|yaml|eta)$/;

/** The paths in a text of words that are not there. `beside`: the folders of the path that the text follows at once. */
function findFiles(repository: Repository, text: string, beside: readonly string[]) {
  const dead: string[] = [];
  let folders = beside;
  const names = text.split(/\s+/).map((part) => part.replace(/[,;:.]+$/, ''));
  for (const name of names) {
    const isRooted = name.includes('/') && repository.paths.includes(name.slice(0, name.indexOf('/') + 1));
    // A command may name the user's own files.
    const isFile = isRooted || (names.length === 1 && sourceName.test(name));
    if (!word.test(name) || !isFile) continue;
    const found = findPaths(repository, name, isRooted);
    const isBare = !name.includes('/') && folders.length > 0;
    const isThere = isBare ? found.some((path) => folders.includes(folderOf(path))) : found.length > 0;
    if (!isThere) dead.push(name);
    if (!isBare) folders = found.map(folderOf);
  }
  return { dead, folders };
}

function folderOf(path: string): string {
  return path.replace(/[^/]*\/?$/, '');
}

/** Files that a line of a page names between backticks. A bare name behind a path and a comma is in the same folder. */
function* deadFilesOfLine(repository: Repository, line: string): Generator<string> {
  let folders: readonly string[] = [];
  let end = 0;
  for (const { 0: span, 1: text = '', index } of line.matchAll(/`([^`]+)`/g)) {
    const follows = /^(?:, | and |, and | or )$/.test(line.slice(end, index));
    const found = findFiles(repository, text, follows ? folders : []);
    yield* found.dead;
    folders = found.folders;
    end = index + span.length;
  }
}

function* deadLinksOfLine({ paths, pages }: Repository, page: Page, line: string): Generator<string> {
  const words = line.replace(/`[^`]*`/g, '');
  for (const [, target = ''] of words.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)) {
    if (/^(?:[a-z][a-z+.-]*:|\/)/i.test(target)) continue;
    const [path = '', anchor] = target.split('#', 2);
    const file = path === '' ? page.file : normalize(join(dirname(page.file), path));
    const isThere = paths.includes(file) || paths.includes(`${file}/`);
    const anchors = pages.get(file)?.anchors;
    if (!isThere || (anchor !== undefined && anchors && !anchors.has(anchor))) yield target;
  }
}

const citation = /(?<![\w./-])((?:[\w.-]+\/)*[\w-]+\.md)\b(?:#([\w-]+)|, "([^"]+)")?/g;
const sections = /\b[Dd]ocument(?:['’]s)? ((?:§\d+(?:\.\d+)*(?:, and |, | and )?)+)/g;

/** Pages, headings and sections of the document that any text cites. */
function* deadCitationsOfLine(repository: Repository, line: string): Generator<string> {
  for (const [cited, path = '', anchor, heading] of line.matchAll(citation)) {
    const found = findPaths(repository, path.replace(/^(?:\.{1,2}\/)+/, ''), false);
    const pages = found.flatMap((file) => repository.pages.get(file) ?? []);
    const isThere =
      (anchor === undefined || pages.some(({ anchors }) => anchors.has(anchor))) &&
      (heading === undefined || pages.some(({ headings }) => headings.some((one) => one.startsWith(heading))));
    if (found.length === 0 || !isThere) yield cited;
  }
  for (const [, list = ''] of line.matchAll(sections)) {
    for (const [, section = ''] of list.matchAll(/§(\d+(?:\.\d+)*)/g)) {
      if (!repository.sections.has(section)) yield `§${section} of the document`;
    }
  }
}

/** `file:line` of every reference below `root` that leads nowhere. */
export function findDeadReferences(root: string): string[] {
  const paths = [...listPaths(root)];
  const pages = new Map(
    paths.filter((path) => pageFiles.test(path)).map((file) => [file, readPage(readSource(root, file))]),
  );
  const repository: Repository = { paths, pages, sections: readSections(pages.get('docs/document.md')) };
  const dead = new Set<string>();
  const note = (file: string, at: number, references: Iterable<string>) => {
    for (const reference of references) dead.add(`${file}:${at}: ${reference} leads nowhere`);
  };
  for (const page of pages.values()) {
    for (const { line, at, isCode } of markedLines(page)) {
      note(page.file, at, isCode ? findFiles(repository, line, []).dead : deadFilesOfLine(repository, line));
      if (!isCode) note(page.file, at, deadLinksOfLine(repository, page, line));
      note(page.file, at, deadCitationsOfLine(repository, line));
    }
  }
  for (const file of paths.filter((path) => codeFolders.test(path) && path !== ownTest)) {
    for (const [index, line] of readSource(root, file).lines.entries()) {
      note(file, index + 1, deadCitationsOfLine(repository, line));
    }
  }
  return [...dead];
}

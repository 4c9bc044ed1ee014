/** Markdown of the guides as HTML, and as the plain text of its sections. */

import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { anchorOf } from './anchor.ts';
import { escapeHtml } from './render.ts';

/** A part of a page under one heading, as the search finds it. */
export interface Section {
  readonly heading: string;
  /** Empty for the part before the first heading of a page. */
  readonly anchor: string;
  readonly text: string;
}

/** Where a link of a page leads: an address, or null for what is not served, whose text alone remains. */
export type Resolve = (target: string) => string | null;

/** Answers the path of a link from the root, and its anchor with `#`. */
export function targetOf(file: string, href: string): { readonly path: string; readonly anchor: string } {
  const [path = '', anchor] = href.split('#', 2);
  return {
    path: path === '' ? file : posix.normalize(posix.join(posix.dirname(file), path)),
    anchor: anchor === undefined ? '' : `#${anchor}`,
  };
}

/** Gives each heading an anchor of its own: the second of the same words gets a number. */
function anchors(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const anchor = anchorOf(heading);
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  };
}

/** No image is served. */
const noImage: Resolve = () => null;

/**
 * Renders a page. Whatever is HTML in it stays text, except comments, which are left out. Of an image for which
 * `picture` has no address its words remain.
 */
export function renderMarkdown(markdown: string, resolve: Resolve, picture = noImage): string {
  const anchorFor = anchors();
  let tables = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorFor(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        const address = resolve(href);
        return address === null ? label : `<a href="${escapeHtml(address)}">${label}</a>`;
      },
      // Wide ones scroll in a box that the keyboard reaches.
      code({ text }) {
        return `<pre tabindex="0" class="command"><code>${escapeHtml(text)}</code></pre>\n`;
      },
      table({ header, rows }) {
        tables += 1;
        const cell = (tag: string, content: string, attributes = '') => `<${tag}${attributes}>${content}</${tag}>`;
        // The roles are those of the elements, which lose them where a narrow window shows the cells below each other.
        // A column without a name has no header: an empty one says nothing to a screen reader.
        const heads = header.map(({ tokens, text }) =>
          text === ''
            ? cell('td', '', ' role="cell"')
            : cell('th', this.parser.parseInline(tokens), ' role="columnheader" scope="col"'),
        );
        const names = header.map(({ tokens }) => escapeHtml(this.parser.parseInline(tokens, this.parser.textRenderer)));
        const line = (row: readonly Tokens.TableCell[]) => {
          const cells = row.map(({ tokens }, place) =>
            cell('td', this.parser.parseInline(tokens), ` role="cell" data-column="${names[place] ?? ''}"`),
          );
          return cell('tr', cells.join(''), ' role="row"');
        };
        const head = cell('thead', cell('tr', heads.join(''), ' role="row"'), ' role="rowgroup"');
        const body = cell('tbody', rows.map(line).join('\n'), ' role="rowgroup"');
        const box = `class="table" tabindex="0" role="region" aria-label="Table ${tables}"`;
        return `<div ${box}><table role="table">${head}${body}</table></div>\n`;
      },
      image({ href, text }) {
        const words = escapeHtml(text);
        const address = picture(href);
        return address === null ? words : `<img src="${escapeHtml(address)}" alt="${words}" loading="lazy">`;
      },
      html({ text }) {
        return text.startsWith('<!--') ? '' : escapeHtml(text);
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

/** The first heading of a page, as plain text. */
export function titleOf(markdown: string): string {
  return plain(/^# +(.+?) *$/m.exec(markdown)?.[1] ?? '');
}

/** The page in parts, each with the plain text below its heading. */
export function sectionsOf(markdown: string): Section[] {
  const anchorFor = anchors();
  const sections: { heading: string; anchor: string; texts: string[] }[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') {
      sections.push({ heading: plain(token['text']), anchor: anchorFor(token['text']), texts: [] });
    } else if (token.type !== 'html' && token.type !== 'space') {
      if (sections.length === 0) sections.push({ heading: '', anchor: '', texts: [] });
      sections.at(-1)?.texts.push(textOf(token));
    }
  }
  return sections.map(({ heading, anchor, texts }) => ({ heading, anchor, text: texts.join(' ') }));
}

function textOf(token: Token): string {
  if (token.type === 'code') return token['text'];
  return plain(token.raw);
}

/** Markdown without its marks. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`|^[>#-]+ |^\s*\|[-| ]+\|$/gm, '')
    .replaceAll(/[|\s]+/g, ' ')
    .trim();
}

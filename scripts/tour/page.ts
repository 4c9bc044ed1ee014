/** The hosted pages as a program without a browser meets them: forms and cookies. */

/** The form of a page. */
export interface Form {
  readonly action: string;
  /** Values that the page gave its inputs, the hidden members among them. */
  readonly values: Readonly<Record<string, string>>;
  /** Names of all inputs and buttons. */
  readonly names: ReadonlySet<string>;
}

/** Reads the form of a page; null when it has none. */
export function readForm(html: string): Form | null {
  const action = /<form\b[^>]*\baction="([^"]*)"/.exec(html)?.[1];
  if (action === undefined) return null;
  const values: Record<string, string> = {};
  const names = new Set<string>();
  for (const [, element, attributes = ''] of html.matchAll(/<(input|button)\b([^>]*)>/g)) {
    const name = attributeOf(attributes, 'name');
    if (name === null) continue;
    names.add(name);
    if (element === 'input') values[name] = attributeOf(attributes, 'value') ?? '';
  }
  return { action: decodeEntities(action), values, names };
}

function attributeOf(attributes: string, name: string): string | null {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
  return value === undefined ? null : decodeEntities(value);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function decodeEntities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (whole, entity: string) => entities[entity] ?? whole);
}

/** The cookies of one host, by name. */
export class CookieJar {
  private readonly cookies = new Map<string, string>();

  /** Keeps what an answer sets. */
  keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }

  /** The header that sends them back; none when there are none. */
  get header(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return cookie === '' ? {} : { cookie };
  }
}

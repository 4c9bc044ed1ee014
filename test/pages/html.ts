import assert from 'node:assert/strict';

/** All tags of a document. Attribute values are escaped, so that a tag ends at its first `>`. */
export function tags(html: string): string[] {
  return html.match(/<\/?[a-z][^>]*>/gi) ?? [];
}

/** Names of all tags in order: the structure of a document. */
export function tagNames(html: string): string {
  return tags(html)
    .map((tag) => /^<\/?[a-z0-9]+/i.exec(tag)?.[0])
    .join(' ');
}

/** The value of an attribute as it stands in the source, or undefined. */
export function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
}

/** The opening tags of one element. */
export function tagsOf(html: string, name: string): string[] {
  return tags(html).filter((tag) => tag.startsWith(`<${name} `) || tag === `<${name}>`);
}

/** The one input of a name. */
export function inputNamed(html: string, name: string): string {
  const found = tagsOf(html, 'input').find((tag) => attribute(tag, 'name') === name);
  assert.ok(found, `an input named ${name}`);
  return found;
}

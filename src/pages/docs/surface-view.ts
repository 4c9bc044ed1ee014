import type { Contract } from '../../http/contract.ts';

/** A surface with its bundled contract. */
export interface DocumentedSurface {
  readonly name: string;
  readonly contract: Contract;
}

/** What the pages show of an operation. */
export interface OperationView {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** The operation on the page of its surface. */
  readonly href: string;
}

/** What the pages show of a surface. */
export interface SurfaceView {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly href: string;
  readonly yamlHref: string;
  readonly jsonHref: string;
  /** For tools that read OpenAPI 3.0 only. */
  readonly olderHref: string;
  readonly operations: readonly OperationView[];
}

/** Gives the address of the file at a path. */
export type Link = (path: string) => string;

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** The members of an operation that the contract's rules demand and this page shows. */
interface ShownOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
}

export function describeSurface({ name, contract }: DocumentedSurface, link: Link): SurfaceView {
  const href = link(`/docs/${name}`);
  const { title, summary, description } = contract.info;
  return {
    name,
    title,
    summary: summary ?? firstParagraph(description ?? ''),
    href,
    yamlHref: link(`/openapi/${name}.yaml`),
    jsonHref: link(`/openapi/${name}.json`),
    olderHref: link(`/openapi/${name}-3.0.json`),
    operations: Object.entries(contract.paths).flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const operation = item[method] as ShownOperation | undefined;
        return operation ? [describeOperation(method, path, operation, href)] : [];
      }),
    ),
  };
}

function describeOperation(method: string, path: string, operation: ShownOperation, href: string): OperationView {
  const { operationId, summary = '', tags: [tag] = [] } = operation;
  // The form of Redoc's own anchors: the tag as a slug, then the operation.
  const anchor = `${tag === undefined ? '' : `tag/${tag.replaceAll(/\s+/g, '-')}/`}operation/${operationId}`;
  return { operationId, method: method.toUpperCase(), path, summary, href: `${href}#${anchor}` };
}

/** The first paragraph of a Markdown text, as plain text. */
function firstParagraph(markdown: string): string {
  const [paragraph = ''] = markdown.trim().split(/\n\s*\n/, 1);
  return paragraph
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`/g, '');
}

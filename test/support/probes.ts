/**
 * One request for each operation of a contract, made of the contract's own examples: it passes validation, and goes as
 * far as the store.
 */

import type { Sent } from './app.ts';
import { basic } from './app.ts';
import { contracts } from './conforms.ts';

export interface Probe {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** Media types that the operation reads; none when it takes no body. */
  readonly mediaTypes: readonly string[];
  readonly sent: Sent;
  /** Statuses that the contract documents. */
  readonly statuses: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly schema?: { readonly examples?: readonly unknown[] };
}

interface MediaType {
  readonly example?: Readonly<Record<string, string>>;
  readonly examples?: Readonly<Record<string, { readonly value: Readonly<Record<string, string>> }>>;
}

const formType = 'application/x-www-form-urlencoded';
const xmlType = 'application/xml';
const verbs = ['get', 'post', 'put', 'delete', 'patch'] as const;
const unknownSecret = 'A'.repeat(43);
/** A probe is sent several times, and must not delete what others are about, such as the caller itself. */
const unknownId = String(2 ** 31 - 1);

/** Unknown tokens and credentials in the right format: a probe must look them up. */
const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bearer: { authorization: `Bearer ct_1_${unknownSecret}` },
  registrationToken: { authorization: `Bearer rg_${unknownSecret}` },
  accessToken: { authorization: `Bearer at_1_${unknownSecret}` },
  clientBasic: basic('unknown-client', unknownSecret),
  credentialBasic: basic('unknown-pair', unknownSecret),
  apiKey: basic(`ak_${unknownSecret}`, 'x'),
};

/** A probe for each operation of the surface. */
export function probesOf(surface: string): Probe[] {
  const loaded = contracts.get(surface);
  if (!loaded) throw new Error(`there is no contract ${surface}`);
  const { contract } = loaded;
  const probes: Probe[] = [];
  for (const [template, item] of Object.entries(contract.paths)) {
    for (const verb of verbs) {
      const operation = item[verb] as (Operation & { readonly operationId: string }) | undefined;
      if (!operation) continue;
      const parameters = (operation.parameters ?? []).map((one) => follow<Parameter>(contract, one));
      probes.push({
        operationId: operation.operationId,
        method: verb.toUpperCase(),
        path: pathOf(template, parameters),
        mediaTypes: Object.keys(operation.requestBody?.content ?? {}),
        sent: sentOf(operation),
        statuses: Object.keys(operation.responses),
      });
    }
  }
  return probes;
}

interface Operation {
  readonly parameters?: readonly unknown[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

function sentOf({ security = [], requestBody }: Operation): Sent {
  const scheme = security.flatMap((requirement) => Object.keys(requirement)).find((name) => name in credentials);
  const headers = credentials[scheme ?? ''] ?? {};
  const [first] = Object.entries(requestBody?.content ?? {});
  if (!first) return { headers };
  const [mediaType, { example, examples }] = first;
  const members = example ?? Object.values(examples ?? {})[0]?.value ?? {};
  // Credentials are in the header, and never in two places.
  const { client_id: _id, client_secret: _secret, ...withoutPair } = members;
  const { access_token: _token, ...withoutToken } = members;
  const body = /basic/i.test(scheme ?? '') ? withoutPair : scheme === 'accessToken' ? withoutToken : members;
  if (mediaType === xmlType) return { headers: { ...headers, 'content-type': xmlType }, raw: documentOf(members) };
  return mediaType === formType ? { headers, form: body } : { headers, json: body };
}

/** The one kind of document that a contract takes. */
function documentOf(members: Readonly<Record<string, unknown>>): string {
  const elements = Object.entries(members).map(([name, value]) =>
    value === null ? `<${name} nil="true"/>` : `<${name}>${value}</${name}>`,
  );
  return `<user>${elements.join('')}</user>`;
}

function pathOf(template: string, parameters: readonly Parameter[]): string {
  let path = template;
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    const example = String(exampleOf(parameter) ?? 'x');
    const own = /^\d+$/.test(example) ? unknownId : example;
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, own);
    if (parameter.in === 'query') query.set(parameter.name, example);
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

function exampleOf({ example, examples, schema }: Parameter): unknown {
  return example ?? Object.values(examples ?? {})[0]?.value ?? schema?.examples?.[0];
}

/** What a local reference names, or the thing itself. */
function follow<Thing>(contract: unknown, thing: unknown): Thing {
  const reference = (thing as { readonly $ref?: string }).$ref;
  if (reference === undefined) return thing as Thing;
  const parts = reference.slice(2).split('/');
  return parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], contract) as Thing;
}

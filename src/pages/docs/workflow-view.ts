import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { OperationView, SurfaceView } from './surface-view.ts';

/** The placeholder for the account's base URL: in the documentation, in the files of workflows, and in commands. */
export const baseUrlPlaceholder = '{base_url}';

/** A text in parts; those that stood between backticks are code. */
type Parts = readonly { readonly text: string; readonly isCode: boolean }[];

/** One workflow of a file. */
interface WorkflowView {
  readonly summary: string;
  readonly description: Parts;
  /** What each step does, in order, and the operation that it calls. */
  readonly steps: readonly { readonly description: Parts; readonly operation: OperationView }[];
  /** What the command reads from variables of the shell. */
  readonly inputs: readonly { readonly name: string; readonly description: Parts }[];
  /** The command that runs it against the account at the placeholder. */
  readonly command: string;
}

/** A file of workflows (Arazzo 1.0) as it was written. */
export interface WorkflowFile {
  /** The file's name without its ending. */
  readonly name: string;
  readonly text: string;
}

/** A file of workflows as the index shows it. */
export interface WorkflowFileView {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** Paragraphs. */
  readonly description: readonly Parts[];
  readonly workflows: readonly WorkflowView[];
}

interface Inputs {
  readonly properties: Readonly<Record<string, { readonly description: string }>>;
}

/** The members that the lint rules of these files demand. */
interface ArazzoDocument {
  readonly info: { readonly title: string; readonly summary: string; readonly description: string };
  readonly workflows: readonly Workflow[];
  readonly components?: { readonly inputs?: Readonly<Record<string, Inputs>> };
}

interface Workflow {
  readonly workflowId: string;
  readonly summary: string;
  readonly description: string;
  readonly inputs: Inputs | { readonly $ref: string };
  readonly steps: readonly { readonly description: string; readonly operationId: string }[];
}

const folder = new URL('../../../openapi/workflows/', import.meta.url);

/** The names of all files of workflows, sorted; none of them is read. */
export function listWorkflowFiles(): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => file.slice(0, -'.yaml'.length));
}

/** Reads a file of workflows that `listWorkflowFiles` named. */
export function readWorkflowFile(name: string): WorkflowFile {
  return { name, text: readFileSync(new URL(`${name}.yaml`, folder), 'utf8') };
}

/** Throws for a step whose operation is in none of the surfaces. */
export function describeWorkflowFile({ name, text }: WorkflowFile, surfaces: readonly SurfaceView[]): WorkflowFileView {
  const document = parse(text) as ArazzoDocument;
  const { title, summary, description } = document.info;
  return {
    name,
    title,
    summary,
    description: description
      .trim()
      .split(/\n\s*\n/)
      .map(partsOf),
    workflows: document.workflows.map((workflow) => {
      const inputs = inputsOf(workflow, document);
      const sources = new Set(workflow.steps.map(({ operationId }) => callOf(operationId).source));
      return {
        summary: workflow.summary,
        description: partsOf(workflow.description),
        steps: workflow.steps.map((step) => ({
          description: partsOf(step.description),
          operation: findOperation(surfaces, callOf(step.operationId)),
        })),
        inputs: Object.entries(inputs.properties).map(([input, said]) => ({
          name: input,
          description: partsOf(said.description),
        })),
        command: commandOf(name, workflow.workflowId, sources, Object.keys(inputs.properties)),
      };
    }),
  };
}

function inputsOf({ inputs }: Workflow, { components }: ArazzoDocument): Inputs {
  if ('properties' in inputs) return inputs;
  const found = components?.inputs?.[inputs.$ref.replace('#/components/inputs/', '')];
  if (!found) throw new Error(`a workflow refers to inputs that are not there: ${inputs.$ref}`);
  return found;
}

/** The surface and the operation of `$sourceDescriptions.<surface>.<operationId>`. */
function callOf(expression: string): { readonly source: string; readonly operationId: string } {
  const [, source = '', operationId = ''] = expression.split('.');
  return { source, operationId };
}

function findOperation(
  surfaces: readonly SurfaceView[],
  { source, operationId }: ReturnType<typeof callOf>,
): OperationView {
  const surface = surfaces.find(({ name }) => name === source);
  const operation = surface?.operations.find((one) => one.operationId === operationId);
  if (!operation) throw new Error(`a workflow calls an operation that is not there: ${source}.${operationId}`);
  return operation;
}

/** It shows each request and each answer whole, since later workflows ask for what is in the answers. */
function commandOf(file: string, workflowId: string, sources: ReadonlySet<string>, inputs: readonly string[]): string {
  return [
    `npx @redocly/cli@2 respect ${baseUrlPlaceholder}/openapi/workflows/${file}.yaml`,
    `--workflow ${workflowId} --verbose --no-secrets-masking`,
    ...[...sources].map((source) => `--server ${source}=${baseUrlPlaceholder}`),
    ...inputs.map((input) => `--input ${input}="$${input}"`),
  ].join(' \\\n  ');
}

function partsOf(text: string): Parts {
  return text
    .split('`')
    .map((part, at) => ({ text: part, isCode: at % 2 === 1 }))
    .filter(({ text: part }) => part !== '');
}

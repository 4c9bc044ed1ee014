import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** One workflow of a file. */
interface WorkflowView {
  readonly summary: string;
  readonly description: string;
  /** What each step does, in order. */
  readonly steps: readonly string[];
}

/** A file of workflows (Arazzo 1.0), as written and as the index shows it. */
export interface WorkflowFile {
  /** The file's name without its ending. */
  readonly name: string;
  readonly text: string;
  readonly title: string;
  readonly summary: string;
  readonly workflows: readonly WorkflowView[];
}

/** The members that the lint rules of these files demand. */
interface ArazzoDocument {
  readonly info: { readonly title: string; readonly summary: string };
  readonly workflows: readonly {
    readonly summary: string;
    readonly description: string;
    readonly steps: readonly { readonly description: string }[];
  }[];
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
  const text = readFileSync(new URL(`${name}.yaml`, folder), 'utf8');
  const { info, workflows } = parse(text) as ArazzoDocument;
  return {
    name,
    text,
    title: info.title,
    summary: info.summary,
    workflows: workflows.map(({ summary, description, steps }) => ({
      summary,
      description,
      steps: steps.map((step) => step.description),
    })),
  };
}

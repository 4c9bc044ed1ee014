import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { fileFaultOf, writingFaults } from '../adapters/file-faults.ts';
import { Failure } from '../domain/failure.ts';
import { type Answer, addCommand, type Outlet } from './command.ts';
import { type HookTemplate, readTemplates } from './hook-templates.ts';
import { table } from './output.ts';

export function addHookNewCommand(group: Command, outlet: Outlet): void {
  addCommand(
    group,
    'new [template]',
    'write a function from a template, with a context to try it with; without a name, list the templates',
    outlet,
    async ({ args: [name] }) => {
      const templates = readTemplates();
      return name === undefined ? listed(templates) : writeTemplate(templates, String(name));
    },
  );
}

function listed(templates: readonly HookTemplate[]): Answer {
  return {
    json: templates.map(({ name, about }) => ({ template: name, about })),
    text: table(
      ['template', 'what it does'],
      templates.map(({ name, about }) => [name, plain(about)]),
    ),
  };
}

/** Into the folder that the command runs in. A file that is there stays as it is. */
function writeTemplate(templates: readonly HookTemplate[], wanted: string): Answer {
  const template = templates.find(({ name }) => name === wanted);
  if (!template) {
    const names = templates.map(({ name }) => name).join(', ');
    throw new Failure('value_invalid', { name: 'template', message: `there is no template ${wanted}; use ${names}` });
  }
  const { name, about, command } = template;
  const files = { [`${name}.js`]: template.function, [`${name}.json`]: template.context };
  for (const [file, text] of Object.entries(files)) writeNew(file, text);
  const names = Object.keys(files);
  return {
    json: { template: name, about, files: names, command },
    text: `${names.join(' and ')} are written. ${plain(about)}\nTry it:\n  ${command}\n`,
  };
}

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'EEXIST'
        ? 'already exists; move it away first'
        : `cannot be written: ${fileFaultOf(error, writingFaults)}`;
    throw new Failure('value_invalid', { name: 'file', message: `${file} ${why}` }, { cause: error });
  }
}

function plain(text: string): string {
  return text.replaceAll('`', '');
}

/** What a person writes of a hook, and the body that says it to the surface, which replaces a hook as a whole. */

import type { Schemas } from '../../api/contract.ts';
import type { FieldShape } from '../../parts/field.tsx';
import { decodeText, encodeText } from './text.ts';

export type HookType = Schemas['HookType'];
type Condition = Schemas['HookCondition'];

/** As it is typed: texts where the surface has lists. */
export interface Definition {
  readonly type: HookType;
  readonly code: string;
  readonly disabled: boolean;
  readonly runtime?: string;
  readonly timeout: unknown;
  readonly retries: unknown;
  readonly context_version: unknown;
  readonly options: Readonly<Partial<Record<string, boolean>>> | null;
  readonly env_vars: readonly string[];
  readonly packages: string;
  readonly conditions: string;
}

const samples: Readonly<Record<HookType, string>> = {
  'pre-authentication': `/** Runs at each sign-in, after the first factor was right. */
exports.handler = async (context) => {
  console.log('sign-in of', context.user.user_identifier);
  return { user: { policy_id: context.user.policy_id } };
};
`,
  'user-migration': `/** Runs at a sign-in with a name that no user has. */
exports.handler = async (context) => {
  console.log('nobody is called', context.user_identifier);
  return { success: false };
};
`,
};

export function newDefinition(type: HookType): Definition {
  return {
    type,
    code: samples[type],
    disabled: false,
    timeout: 1,
    retries: 0,
    context_version: '1.1.0',
    options: null,
    env_vars: [],
    packages: '',
    conditions: '',
  };
}

/** Whether a text is one that the console began with. */
export const isSample = (code: string): boolean => Object.values(samples).includes(code);

type Stored = Omit<Schemas['HookVersion'], 'version' | 'running' | 'created_at' | 'written_by'>;

export function definitionOf(hook: Stored): Definition {
  return {
    type: hook.type,
    code: decodeText(hook.function),
    disabled: hook.disabled,
    runtime: hook.runtime,
    timeout: hook.timeout,
    retries: hook.retries,
    context_version: hook.context_version,
    options: hook.options ?? null,
    env_vars: hook.env_vars,
    packages: Object.entries(hook.packages)
      .map(([name, version]) => `${name} ${version}`)
      .join('\n'),
    conditions: hook.conditions
      .map(({ operator, value }) => `${operator === '~' ? 'has' : 'lacks'} ${value}`)
      .join('\n'),
  };
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** `name version`, or `name@version` as npm writes it. What has no version is sent without: the surface says so. */
export function packagesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const [, name = line, version = ''] = /^(.[^\s@]*)(?:\s+|@)(.*)$/.exec(line) ?? [];
      return [name, version];
    }),
  );
}

const operators: Readonly<Record<string, string>> = { has: '~', lacks: '!~' };

function conditionsOf(text: string): Condition[] {
  return linesOf(text).map((line) => {
    const [, word = line, value = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    return { source: 'roles', operator: (operators[word] ?? word) as Condition['operator'], value };
  });
}

/** The fields of the form hold what was typed, so that the surface says what is wrong with it. */
export function bodyOf(given: Definition): Schemas['HookInput'] {
  const { code, packages, conditions, env_vars: variables, options, ...others } = given;
  // The form shows them for hooks of this kind alone.
  const conditional = given.type === 'pre-authentication' ? conditionsOf(conditions) : [];
  return {
    ...others,
    function: encodeText(code),
    options,
    env_vars: [...variables],
    packages: packagesOf(packages),
    conditions: conditional,
  } as Schemas['HookInput'];
}

const flag = (name: string, label: string): FieldShape => ({ name: `options.${name}`, label, kind: 'yes' });

export function definitionFields(variables: readonly string[], type: HookType): readonly FieldShape[] {
  const isSignIn = type === 'pre-authentication';
  return [
    {
      name: 'timeout',
      label: 'Timeout (seconds)',
      kind: 'number',
      help: isSignIn ? '1 for this kind.' : '1 to 10.',
    },
    { name: 'retries', label: 'Retries after a failure', kind: 'number', help: '0 to 4.' },
    {
      name: 'context_version',
      label: 'Context version',
      kind: 'choice',
      options: [
        ['1.1.0', '1.1.0'],
        ['1.0.0', '1.0.0'],
      ],
    },
    ...(isSignIn
      ? [
          flag('risk_enabled', 'Include the risk score'),
          flag('location_enabled', 'Include the location'),
          flag('mfa_device_info_enabled', 'Include the MFA devices'),
          flag('failed_login_attempts_enabled', 'Include failed login attempts'),
        ]
      : []),
    {
      name: 'env_vars',
      label: 'Environment variables',
      kind: 'many',
      options: variables.map((name) => [name, name] as const),
    },
    { name: 'packages', label: 'Packages', kind: 'lines', help: 'One per line, with an exact version: lodash 4.17.21' },
    ...(isSignIn
      ? [
          {
            name: 'conditions',
            label: 'Run only for users who',
            kind: 'lines',
            help: 'One per line; all must hold: has Accounting, or lacks Contractors. A role by its name or number.',
          } as const,
        ]
      : []),
  ];
}

/** Names a hook to people: hooks have no name of their own. */
export const titleOf = ({ type, id }: Pick<Schemas['Hook'], 'type' | 'id'>): string => `${type} ${id.slice(0, 8)}`;

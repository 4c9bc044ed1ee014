/** What is done to several users at once: a call for each. */

import { api } from '../../../api/api.ts';
import type { Schemas } from '../../../api/contract.ts';

type User = Schemas['User'];

export interface BulkAction {
  /** The label of the button. */
  readonly label: string;
  /** What happens to each of them. */
  readonly words: string;
  /** Said when it was done, after the number of users. */
  readonly done: string;
  /** Any of them permits it. */
  readonly scopes: readonly string[];
  readonly isLoss: boolean;
  /** Whether how many users there are has to be typed first. */
  readonly isTyped?: true;
  /** Whether a role has to be chosen first. */
  readonly takesRole?: true;
  /** `roleId` is that role's, if there is one. */
  readonly act: (user: User, roleId: number) => Promise<unknown>;
}

const setStatus = (status: Schemas['UserStatus']) => (user: User) =>
  api.put('/api/2/users/{id}', { path: { id: user.id }, body: { status } });

export const bulkActions: readonly BulkAction[] = [
  {
    label: 'Activate',
    words: 'They can sign in if they have a password.',
    done: 'activated',
    scopes: ['manage_users'],
    isLoss: false,
    act: setStatus(1),
  },
  {
    label: 'Suspend',
    words: 'They are signed out everywhere, and cannot sign in until they are active again.',
    done: 'suspended',
    scopes: ['manage_users'],
    isLoss: true,
    act: setStatus(2),
  },
  {
    label: 'Give a role',
    words: 'They may use the apps of the role.',
    done: 'given the role',
    scopes: [],
    isLoss: false,
    takesRole: true,
    act: ({ id }, roleId) => api.post('/api/2/roles/{id}/users', { path: { id: roleId }, body: [id] }),
  },
  {
    label: 'Take a role',
    words: 'They lose the apps that they have through this role alone, with the tokens for them.',
    done: 'removed from the role',
    scopes: [],
    isLoss: true,
    takesRole: true,
    act: ({ id }, roleId) => api.delete('/api/2/roles/{id}/users', { path: { id: roleId }, body: [id] }),
  },
  {
    label: 'End sessions',
    words: 'They are signed out everywhere, and all apps lose their tokens for them.',
    done: 'signed out',
    scopes: [],
    isLoss: true,
    act: ({ id }) => api.delete('/api/2/users/{id}/sessions', { path: { id } }),
  },
  {
    label: 'Delete',
    words: 'They go with all sessions, grants, roles and access. This cannot be undone.',
    done: 'deleted',
    scopes: ['manage_users'],
    isLoss: true,
    isTyped: true,
    act: ({ id }) => api.delete('/api/2/users/{id}', { path: { id } }),
  },
];

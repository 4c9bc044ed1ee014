import type { ComponentType } from 'preact';
import { Administrators } from '../screens/administrators/administrators.tsx';
import { ApiScreen } from '../screens/apis/api.tsx';
import { Apis } from '../screens/apis/apis.tsx';
import { AppScreen } from '../screens/apps/app.tsx';
import { Apps } from '../screens/apps/apps.tsx';
import { Attributes } from '../screens/attributes/attributes.tsx';
import { Callers } from '../screens/callers/callers.tsx';
import { Events } from '../screens/events/events.tsx';
import { HookScreen } from '../screens/hooks/hook.tsx';
import { Hooks } from '../screens/hooks/hooks.tsx';
import { NewHook } from '../screens/hooks/new-hook.tsx';
import { Overview } from '../screens/overview/overview.tsx';
import { Policies } from '../screens/policies/policies.tsx';
import { PolicyScreen } from '../screens/policies/policy.tsx';
import { RoleScreen } from '../screens/roles/role.tsx';
import { Roles } from '../screens/roles/roles.tsx';
import { Settings } from '../screens/settings/settings.tsx';
import { ImportUsers } from '../screens/users/import/import.tsx';
import { UserScreen } from '../screens/users/user.tsx';
import { Users } from '../screens/users/users.tsx';

/** The part of the path that a screen names with `:id`. */
export interface ScreenParameters {
  readonly id: string;
}

export interface ScreenEntry {
  /** Below `/console`. */
  readonly path: string;
  /** As the menu names it; screens without are reached from others. */
  readonly title?: string;
  /** What the screen needs: one of these scopes, or `manage_all`. */
  readonly scopes: readonly string[];
  readonly screen: ComponentType<ScreenParameters>;
}

const ofUsers = ['read_users', 'manage_users', 'read_all'];

export const screens: readonly ScreenEntry[] = [
  { path: '', title: 'Overview', scopes: ofUsers, screen: Overview },
  { path: 'users', title: 'Users', scopes: ofUsers, screen: Users },
  { path: 'users/import', scopes: [], screen: ImportUsers },
  { path: 'users/:id', scopes: ofUsers, screen: UserScreen },
  { path: 'apps', title: 'Apps', scopes: ['read_all'], screen: Apps },
  { path: 'apps/:id', scopes: ['read_all'], screen: AppScreen },
  { path: 'roles', title: 'Roles', scopes: ['read_all'], screen: Roles },
  { path: 'roles/:id', scopes: ['read_all'], screen: RoleScreen },
  { path: 'policies', title: 'Policies', scopes: ['read_all'], screen: Policies },
  { path: 'policies/:id', scopes: ['read_all'], screen: PolicyScreen },
  { path: 'apis', title: 'APIs', scopes: [], screen: Apis },
  { path: 'apis/:id', scopes: [], screen: ApiScreen },
  { path: 'events', title: 'Events', scopes: ['read_all'], screen: Events },
  { path: 'hooks', title: 'Hooks', scopes: [], screen: Hooks },
  { path: 'hooks/new', scopes: [], screen: NewHook },
  { path: 'hooks/:id', scopes: [], screen: HookScreen },
  { path: 'callers', title: 'Callers', scopes: [], screen: Callers },
  { path: 'administrators', title: 'Administrators', scopes: [], screen: Administrators },
  { path: 'attributes', title: 'Custom attributes', scopes: ofUsers, screen: Attributes },
  { path: 'settings', title: 'Settings and keys', scopes: [], screen: Settings },
];

export function findScreen(path: string): { readonly entry: ScreenEntry; readonly id: string } | null {
  for (const entry of screens) {
    const pattern = new RegExp(`^${entry.path.replace(':id', '([^/]+)')}$`);
    const found = pattern.exec(path);
    const id = found && partOf(found[1] ?? '');
    if (id !== null) return { entry, id };
  }
  return null;
}

/** What a part of a path stands for; null for one that stands for nothing, such as `%zz`. */
function partOf(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

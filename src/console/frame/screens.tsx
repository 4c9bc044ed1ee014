import type { ComponentType } from 'preact';
import { Overview } from '../screens/overview.tsx';
import { UserScreen } from '../screens/user.tsx';
import { Users } from '../screens/users.tsx';

/** The part of the path that a screen names with `:id`. */
export interface ScreenParameters {
  readonly id: string;
}

export interface ScreenEntry {
  /** Below `/console`. */
  readonly path: string;
  /** As the menu names it; screens without are reached from others. */
  readonly title?: string;
  /** One of these scopes, or `manage_all`. */
  readonly scopes: readonly string[];
  readonly screen: ComponentType<ScreenParameters>;
}

export const screens: readonly ScreenEntry[] = [
  { path: '', title: 'Overview', scopes: ['read_users', 'manage_users', 'read_all'], screen: Overview },
  { path: 'users', title: 'Users', scopes: ['read_users', 'manage_users', 'read_all'], screen: Users },
  { path: 'users/:id', scopes: ['read_users', 'manage_users', 'read_all'], screen: UserScreen },
];

export function findScreen(path: string): { readonly entry: ScreenEntry; readonly id: string } | null {
  for (const entry of screens) {
    const pattern = new RegExp(`^${entry.path.replace(':id', '([^/]+)')}$`);
    const found = pattern.exec(path);
    if (found) return { entry, id: decodeURIComponent(found[1] ?? '') };
  }
  return null;
}

/**
 * Line icons of the hosted pages: the path data of one 24 × 24 drawing each, stroked in the colour of the text around
 * it, so that they follow dark mode and forced colours. They decorate; every meaning is also said in words.
 */
export const icons = {
  alert: 'M12 8v5M12 16.5v.01M10.3 3.9 2.4 17.6A2 2 0 0 0 4.1 20.6h15.8a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z',
  clock: 'M12 7v5l3.2 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  apps: 'M5 4.5h5v5H5ZM14 4.5h5v5h-5ZM5 14.5h5v5H5ZM14 14.5h5v5h-5Z',
  back: 'M14.5 6 8.5 12l6 6',
  done: 'M8 12.3l2.8 2.7L16 9.5M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  device:
    'M5 5.5h14A1.5 1.5 0 0 1 20.5 7v8a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 15V7A1.5 1.5 0 0 1 5 5.5ZM9 20h6M12 16.5V20',
  key: 'M14.5 13.5a5 5 0 1 0-4.4-2.6L3.5 17.5v3h3v-2.3h2.3v-2.3h1.9l1-1a5 5 0 0 0 2.8.6ZM16 7.5v.01',
  leave: 'M10 4.5H6A1.5 1.5 0 0 0 4.5 6v12A1.5 1.5 0 0 0 6 19.5h4M15.5 16.5 20 12l-4.5-4.5M20 12H9.5',
  lock: 'M7.5 10.5v-3a4.5 4.5 0 0 1 9 0v3M6 10.5h12a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1-1.5 1.5H6A1.5 1.5 0 0 1 4.5 19v-7A1.5 1.5 0 0 1 6 10.5ZM12 14.5v2',
  mail: 'M4.5 5.5h15A1.5 1.5 0 0 1 21 7v10a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17V7a1.5 1.5 0 0 1 1.5-1.5ZM3.5 7.5 12 13.5l8.5-6',
  onward: 'M9.5 6l6 6-6 6',
  pause: 'M9.5 8.5v7M14.5 8.5v7M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  people:
    'M15.5 20v-1.5a4 4 0 0 0-4-4h-4a4 4 0 0 0-4 4V20M9.5 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM20.5 20v-1.5a4 4 0 0 0-2.8-3.8M15.5 4.2a3.5 3.5 0 0 1 0 6.6',
  person: 'M19 20v-1a5 5 0 0 0-5-5h-4a5 5 0 0 0-5 5v1M12 11a3.75 3.75 0 1 0 0-7.5 3.75 3.75 0 0 0 0 7.5Z',
  phone: 'M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3ZM11 18h2',
  place: 'M12 21s7-6.2 7-11.5a7 7 0 1 0-14 0C5 14.8 12 21 12 21ZM12 12a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  refused: 'M5.7 5.7l12.6 12.6M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
} as const;

/** The path data of one icon. */
export type Icon = (typeof icons)[keyof typeof icons];

const scopeIcons: ReadonlyMap<string, Icon> = new Map([
  ['openid', icons.key],
  ['profile', icons.person],
  ['email', icons.mail],
  ['address', icons.place],
  ['phone', icons.phone],
  ['groups', icons.people],
  ['offline_access', icons.clock],
]);

/** The icon beside a scope on the consent page; scopes of the account's own making get the key. */
export function scopeIcon(scope: string): Icon {
  return scopeIcons.get(scope) ?? icons.key;
}

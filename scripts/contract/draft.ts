/** Drafts what a CHANGELOG says of each surface. */

import type { SurfaceChanges } from './baseline.ts';
import { tellPlace } from './deprecation.ts';

/** What a reader of a CHANGELOG wants to know of; smaller parts come with them. */
const told: Readonly<Record<string, string>> = {
  Surface: '',
  PathItem: 'the path',
  Operation: 'the operation',
  Parameter: 'the parameter',
  Schema: 'the member',
  Response: 'the answer',
  MediaTypesMap: 'the media type',
  MediaType: 'the media type',
  Header: 'the header',
};

/** Sections for the CHANGELOG; a person shortens them and says why. Empty if nothing changed. */
export function draftChangelog(changes: readonly SurfaceChanges[]): string {
  const sections = changes.flatMap(({ surface, breaks, additions }) => {
    const lines = [
      ...breaks.map(({ message, pointer }) => `- **Breaking.** ${tellPlace(pointer)}: ${message}`),
      ...additions.flatMap(({ kind, pointer }) => {
        const what = told[kind];
        return what === undefined ? [] : [`- Added ${what && `${what} `}${tellPlace(pointer)}.`];
      }),
    ];
    return lines.length === 0 ? [] : [`### ${surface}\n${[...new Set(lines)].join('\n')}\n`];
  });
  return sections.join('\n');
}

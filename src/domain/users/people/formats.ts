/** How files of people are written. */

export const peopleFormats = ['csv', 'ndjson'] as const;

export type PeopleFormat = (typeof peopleFormats)[number];

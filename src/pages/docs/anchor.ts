/** The anchor of a heading of Markdown, as the common viewers write it. */
export function anchorOf(heading: string): string {
  const letters = heading.toLowerCase().replace(/[^\p{Letter}\p{Number} _-]/gu, '');
  return letters.replaceAll(' ', '-');
}

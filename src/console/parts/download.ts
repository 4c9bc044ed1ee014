/** Gives the browser a file that the page has made. */
export function download(name: string, type: string, parts: readonly BlobPart[]): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it by then; at once would be too early for some.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A name with the time, such as `events-2026-11-29T10-00-00.jsonl`. */
export function fileName(what: string, ending: string): string {
  return `${what}-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.${ending}`;
}

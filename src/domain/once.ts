/** The same function, which reads at its first call only. */
export function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let known: Promise<Result> | undefined;
  return () => {
    known ??= read();
    return known;
  };
}

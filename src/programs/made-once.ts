/** What is made at the first call and kept. After a failure it is tried again, but not at once for everybody who asks. */

const pauseMilliseconds = 5_000;

export function madeOnce<Made>(make: () => Promise<Made>, now: () => number = performance.now): () => Promise<Made> {
  let made: Promise<Made> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  return () => {
    if (hasFailed && now() - failedAt >= pauseMilliseconds) made = null;
    if (made === null) {
      hasFailed = false;
      made = make();
      made.catch(() => {
        hasFailed = true;
        failedAt = now();
      });
    }
    return made;
  };
}

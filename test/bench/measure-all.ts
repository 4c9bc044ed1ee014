/** The full run, and the quick one. */

import type { Bench } from './bench.ts';
import type { Line } from './lines.ts';
import { measureDelegated } from './measure-delegated.ts';
import { measureDocuments } from './measure-documents.ts';
import { measureFloors, measurePostgresFloors } from './measure-floors.ts';
import { measureHooks } from './measure-hooks.ts';
import { measureLists } from './measure-lists.ts';
import { measurePostgres } from './measure-postgres.ts';
import {
  measureIntrospection,
  measureMillion,
  measureOthers,
  measureRefresh,
  measureStarts,
  openField,
} from './measure-sqlite.ts';

/** The lines in the order in which servers are needed; each server ends as soon as nobody needs it. */
export async function measureAll(bench: Bench, quick: boolean): Promise<Line[]> {
  const field = await openField(bench);
  try {
    const lines = [...(await measureRefresh(bench, field)), ...(await measureOthers(bench, field))];
    if (quick) return [...lines, await field.checkTrail()];
    lines.push(...(await measureIntrospection(bench, field)));
    // Lines that were measured above, for longer, stay.
    const known = new Set(lines.map(({ line }) => line));
    lines.push(...(await measureFloors(bench, field)).filter(({ line }) => !known.has(line)));
    lines.push(await field.checkTrail());
    lines.push(...(await measureDelegated(bench)), ...(await measureDocuments(bench)));
    lines.push(...(await measureMillion(bench, field)));
    lines.push(...(await measurePostgres(bench, field.durable)), ...(await measurePostgresFloors(bench)));
    lines.push(...(await measureLists(bench)));
    lines.push(...(await measureHooks(bench.plan.hooks, bench.log)));
    return [...lines, ...(await measureStarts(bench))];
  } finally {
    await field.stop();
  }
}

import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { type EndingName, endings } from '../endings/endings.ts';
import { type ThingName, things } from '../endings/in-flight.ts';
import { openTheatre, type Theatre } from '../endings/stage.ts';
import { table } from '../endings/table.ts';
import { tryBeside } from '../endings/try.ts';

/** E1: every ending beside the use of everything that it ends, at once. `endings.test.ts` tries a part of the cells. */
export const drill: Drill = {
  id: 'E1',
  title: 'an ending and a simultaneous use of what it ends: nothing survives (rounds: per cell and database)',
  rounds: 50,
  quickRounds: null,
  run: (options) => onEachDatabase((database) => race(database, endingCells(), options), options.databases),
};

interface Cell {
  readonly ending: EndingName;
  readonly thing: ThingName;
}

/** The cells in which something ends. */
export function endingCells(): Cell[] {
  return (Object.keys(endings) as EndingName[]).flatMap((ending) =>
    (Object.keys(things) as ThingName[])
      .filter((thing) => table[ending][thing] === 'ended')
      .map((thing) => ({ ending, thing })),
  );
}

/** How often each cell is tried. */
export async function race(
  database: DatabaseKind,
  cells: readonly Cell[],
  { rounds, log }: Pick<DrillOptions, 'rounds' | 'log'>,
): Promise<DrillResult> {
  const theatre = await openTheatre(database);
  try {
    let survivors = 0;
    let faults = 0;
    for (const { ending, thing } of cells) {
      for (let count = 0; count < rounds; count += 1) {
        const tried = await tryOnce(theatre, ending, thing, log);
        if (tried === 'survived') log(`${database}: ${ending}, ${thing}: survived`);
        survivors += tried === 'survived' ? 1 : 0;
        faults += tried === 'fault' ? 1 : 0;
      }
    }
    faults += theatre.faults();
    return {
      figures: { cells: cells.length, tries: cells.length * rounds, survivors, 'answers of 500 and above': faults },
      holds: survivors === 0 && faults === 0,
    };
  } finally {
    await theatre.close();
  }
}

/** `fault`: the ending failed. */
async function tryOnce(theatre: Theatre, ending: EndingName, thing: ThingName, log: DrillOptions['log']) {
  try {
    return await tryBeside(theatre, ending, thing);
  } catch (error) {
    log(`${ending}, ${thing}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return 'fault';
  }
}

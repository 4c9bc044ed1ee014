/** What a metric is, and what the program measures with. */

import type { catalogue } from './catalogue.ts';

/** Values that another list closes, in words. */
interface Told {
  readonly told: string;
}

export type LabelValues = readonly string[] | Told;

/** A metric in Prometheus' sense. */
export interface Meter {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: Readonly<Record<string, LabelValues>>;
  readonly meaning: string;
  /** Upper bounds; of a histogram. */
  readonly buckets?: readonly number[];
}

type Catalogue = typeof catalogue;
export type MeterName = keyof Catalogue;

export type NamesOf<Type extends Meter['type']> = {
  [Name in MeterName]: Catalogue[Name]['type'] extends Type ? Name : never;
}[MeterName];

type LabelsOf<Name extends MeterName> = {
  readonly [Label in keyof Catalogue[Name]['labels']]: Catalogue[Name]['labels'][Label] extends readonly (infer Value)[]
    ? Value
    : string;
};

/** What the program measures with. A label outside its list does not compile. */
export interface Meters {
  count<Name extends NamesOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  set<Name extends NamesOf<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Adds to a gauge, or takes away. */
  change<Name extends NamesOf<'gauge'>>(name: Name, labels: LabelsOf<Name>, by: 1 | -1): void;
  observe<Name extends NamesOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Called before each answer: sets gauges that are known at any time. */
  beforeReading(set: () => void): void;
}

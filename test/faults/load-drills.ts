import { readdirSync } from 'node:fs';
import type { Drill } from './drill.ts';

const folder = new URL('drills/', import.meta.url);

/** Every drill of `drills/`, in the order of the ids. */
export async function loadDrills(): Promise<Drill[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href)));
  return modules
    .map(({ drill }: { drill: Drill }) => drill)
    .toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
}

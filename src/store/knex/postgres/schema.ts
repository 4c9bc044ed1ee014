import type { Knex } from 'knex';
import { type Part, type Schema, schemaOf } from '../schema/describe.ts';

/** Without the schema's own name, which an installation chooses. PostgreSQL 18 lists NOT NULL twice. */
export const schemaParts = `
  with tables as (select oid, relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')),
  here as (select quote_ident(current_schema()) || '.' as prefix)
  select 'table' as kind, name as "table", null as name, '' as text from tables
  union all
  select 'column', t.name, a.attname, format_type(a.atttypid, a.atttypmod)
    || case when a.attnotnull then ' not null' else '' end
    || case when a.attidentity = '' then '' else ' identity' end
    || coalesce(case when a.attgenerated = '' then ' default ' else ' generated ' end
      || replace(pg_get_expr(d.adbin, d.adrelid), prefix, ''), '')
    from here, tables t join pg_attribute a on a.attrelid = t.oid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped
  union all
  select 'constraint', t.name, c.conname, replace(pg_get_constraintdef(c.oid), prefix, '')
    from here, tables t join pg_constraint c on c.conrelid = t.oid where c.contype in ('p', 'u', 'f', 'c', 'x')
  union all
  select 'index', t.name, i.relname, case when x.indisvalid then '' else 'invalid ' end
    || replace(pg_get_indexdef(x.indexrelid), prefix, '')
    from here, tables t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
    where not exists (select 1 from pg_constraint c where c.conindid = x.indexrelid and c.contype in ('p', 'u', 'x'))
  union all
  select 'trigger', t.name, g.tgname, case g.tgenabled when 'O' then '' when 'A' then '' else 'disabled ' end
    || replace(pg_get_triggerdef(g.oid), prefix, '') || ' as ' || p.prosrc
    from here, tables t join pg_trigger g on g.tgrelid = t.oid join pg_proc p on p.oid = g.tgfoid
    where not g.tgisinternal`;

/** The schema that the connection uses. */
export async function describeSchema(db: Knex): Promise<Schema> {
  const { rows }: { rows: Part[] } = await db.raw(schemaParts);
  return schemaOf(rows);
}

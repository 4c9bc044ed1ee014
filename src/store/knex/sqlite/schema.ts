import type { Knex } from 'knex';
import { type Part, type Schema, schemaOf, virtual } from '../schema/describe.ts';

/**
 * An index that a table definition creates implicitly has no stable name, and stands for a constraint. The tables that
 * a virtual one keeps are its own business.
 */
const parts = `
  with tables as (select m.name, m.sql from sqlite_master m join pragma_table_list l
    on l.schema = 'main' and l.name = m.name and l.type = 'table'
    where m.type = 'table' and substr(m.name, 1, 7) <> 'sqlite_')
  select 'table' as kind, t.name as "table", null as name, iif(l.strict, 'strict ', '')
    || iif(l.wr, 'without rowid ', '') || iif(t.sql like '%autoincrement%', 'autoincrement', '') as text
    from tables t, pragma_table_list(t.name) l where l.schema = 'main'
  union all
  select 'table', name, null, '${virtual}' || substr(sql, instr(lower(sql), ' using ')) from sqlite_master
    where type = 'table' and rootpage = 0
  union all
  select 'column', t.name, c.name, lower(c.type) || iif(c."notnull", ' not null', '')
    || iif(c.dflt_value is null, '', ' default ' || c.dflt_value) || iif(c.hidden, ' generated', '')
    from tables t, pragma_table_xinfo(t.name) c
  union all
  select 'constraint', t.name, null, 'primary key (' || group_concat(c.name, ', ' order by c.pk) || ')'
    from tables t, pragma_table_info(t.name) c where c.pk > 0 group by t.name
  union all
  select 'constraint', t.name, null, 'unique (' ||
    (select group_concat(c.name, ', ' order by c.seqno) from pragma_index_info(i.name) c) || ')'
    from tables t, pragma_index_list(t.name) i where i.origin = 'u'
  union all
  select 'constraint', t.name, null, 'foreign key (' || group_concat(f."from", ', ' order by f.seq) || ') references '
    || f."table" || ' (' || group_concat(f."to", ', ' order by f.seq) || ') on update ' || lower(f.on_update)
    || ' on delete ' || lower(f.on_delete)
    from tables t, pragma_foreign_key_list(t.name) f group by t.name, f.id
  union all
  select 'index', tbl_name, name, sql from sqlite_master where type = 'index' and sql is not null
  union all
  select 'trigger', tbl_name, name, sql from sqlite_master where type = 'trigger'`;

/** Quotes come from SQLite, not from the migration: each version writes a renamed table differently. */
export async function describeSchema(db: Knex): Promise<Schema> {
  const found: Part[] = await db.raw(parts);
  return schemaOf(found.map((part) => ({ ...part, text: part.text.replaceAll(/["`[\]]/g, '') })));
}

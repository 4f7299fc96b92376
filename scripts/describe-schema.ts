import { join } from 'node:path'
import type pg from 'pg'

export const schemaFile = join(import.meta.dirname, '../docs/schema.sql')

type Table = { name: string; comment: string | null; options: string[] | null }
type Definition = { table: string; definition: string }

/** The tables in the order of their creation, as SQL that a person can read: columns, constraints, indexes and what a row is. */
export async function schemaPage(client: pg.ClientBase): Promise<string> {
  const ours = `
    pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'schema_migrations%'`
  const { rows: tables } = await client.query<Table>(`
    select c.relname as name, obj_description(c.oid, 'pg_class') as comment, c.reloptions as options from ${ours} order by c.oid`)
  const { rows: columns } = await client.query<Definition>(`
    select c.relname as table,
      a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || case when a.attidentity = 'a' then ' generated always as identity' else '' end
        || case when a.attnotnull then ' not null' else '' end
        || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as definition
    from (select c.oid, c.relname from ${ours}) c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    order by c.oid, a.attnum`)
  const { rows: constraints } = await client.query<Definition>(`
    select c.relname as table, pg_get_constraintdef(k.oid) as definition
    from (select c.oid, c.relname from ${ours}) c join pg_constraint k on k.conrelid = c.oid and k.contype <> 'n'
    order by c.oid, array_position('{p,u,f,c}', k.contype), k.conname`)
  const { rows: indexes } = await client.query<Definition>(`
    select c.relname as table, pg_get_indexdef(i.indexrelid) as definition
    from (select c.oid, c.relname from ${ours}) c join pg_index i on i.indrelid = c.oid
    where not exists (select from pg_constraint k where k.conindid = i.indexrelid)
    order by c.oid, i.indexrelid`)
  return `-- The tables of Bellhop, written by npm run schema. The migrations say more about single columns.\n\n${tables.map(write).join('\n')}`

  function write({ name, comment, options }: Table): string {
    const of = (all: readonly Definition[]) =>
      all.filter(({ table }) => table === name).map(({ definition }) => definition)
    const body = [...of(columns), ...of(constraints)].map((line) => `  ${line}`).join(',\n')
    const settings = options ? ` with (${options.join(', ')})` : ''
    const lines = of(indexes).map(
      (index) => `${index.replace(' public.', ' ').replace(' ON public.', ' ON ')};\n`,
    )
    return `${comment ? `-- ${comment}\n` : ''}create table ${name} (\n${body}\n)${settings};\n${lines.join('')}`
  }
}

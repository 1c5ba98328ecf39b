import { quoteName } from '../core/sql_quote.ts'
import type { Queryable } from '../database/database.ts'

/** A column with a foreign key, in SQL. */
export interface ForeignKeyColumn {
  readonly table: string
  readonly column: string
  /** Whether the rows of the table belong to a resource: the table has a column `resource_id`. */
  readonly ofResource: boolean
}

/** Lists the columns whose foreign keys refer to a table. */
export async function listReferencingColumns(
  database: Queryable,
  table: string,
): Promise<ForeignKeyColumn[]> {
  const rows = await database.query<ForeignKeyColumn>(
    `select c.conrelid::regclass::text as "table", a.attname as "column",
            exists (select from pg_attribute r where r.attrelid = c.conrelid and r.attname = 'resource_id')
              as "ofResource"
       from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
      where c.contype = 'f' and c.confrelid = $1::regclass
      order by 1, 2`,
    [table],
  )
  return rows.map((row) => ({ ...row, column: quoteName(row.column) }))
}

import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'
import { foreignName } from '../feature/feature_table.ts'

/** Name of a table or view of a foreign database. */
export interface TablePlace {
  readonly schema: string
  readonly table: string
}

/** A column of a foreign table. */
export interface InspectedColumn {
  readonly name: string
  /** PostgreSQL type without modifiers; for a domain, its base type. */
  readonly type: string
  readonly isNullable: boolean
  /** Whether the values are unique. */
  readonly isUnique: boolean
  /** Declared geometry properties; null if the column is not a geometry. */
  readonly geometry: ColumnGeometry | null
}

/** Declared properties of a geometry column. */
export interface ColumnGeometry {
  /** Geometry type in capitals, `GEOMETRY` for any; with suffix M if positions have measures. */
  readonly type: string
  /** Number of coordinates of a position; 0 if it is not restricted. */
  readonly dimensions: number
  /** EPSG code; 0 if it is not declared. */
  readonly srs: number
}

/** A table with its columns and privileges. */
export interface InspectedTable extends TablePlace {
  /** Whether it is an ordinary table; views and partitioned tables have no indexes that ensure unique values. */
  readonly isTable: boolean
  /** Whether the login can read any column. */
  readonly isReadable: boolean
  readonly columns: readonly InspectedColumn[]
}

/** Tells whether a database has PostGIS. */
export async function hasPostgis(database: Queryable): Promise<boolean> {
  const rows = await database.query("select from pg_extension where extname = 'postgis'")
  return rows.length > 0
}

/**
 * Inspects tables and views in one statement; omits missing ones. Requires PostGIS. Reads the system catalog, and so
 * also finds tables that the login cannot read.
 */
export function inspectTables(database: Queryable, places: readonly TablePlace[]): Promise<InspectedTable[]> {
  return database.query<InspectedTable>(inspectSql, [
    places.map(({ schema }) => schema),
    places.map(({ table }) => table),
  ])
}

const inspectSql = `
  with recursive wanted as (select distinct * from unnest($1::text[], $2::text[]) as w (schema, name)),
  found as (
    select c.oid, w.schema, w.name, c.relkind
      from wanted w join pg_namespace n on n.nspname = w.schema join pg_class c on c.relnamespace = n.oid
     where c.relname = w.name and c.relkind in ('r', 'p', 'v', 'm', 'f')),
  typed as (
    select a.attrelid, a.attname, a.attnum, a.atttypmod, a.attnotnull, a.atttypid as oid, t.typtype, t.typbasetype,
           t.typname
      from found f join pg_attribute a on a.attrelid = f.oid join pg_type t on t.oid = a.atttypid
     where a.attnum > 0 and not a.attisdropped
    union all
    select d.attrelid, d.attname, d.attnum, b.typtypmod, d.attnotnull, t.oid, t.typtype, t.typbasetype, t.typname
      from typed d join pg_type t on t.oid = d.typbasetype join pg_type b on b.oid = d.oid where d.typtype = 'd'),
  described as (
    select y.attrelid, y.attnum, json_build_object(
        'name', y.attname, 'type', format_type(y.oid, null), 'isNullable', not y.attnotnull,
        'isUnique', exists (
          select from pg_index i where i.indrelid = y.attrelid and i.indisunique and i.indisvalid
             and i.indnkeyatts = 1 and i.indkey[0] = y.attnum and i.indpred is null),
        'geometry', case when y.typname = 'geometry' then json_build_object(
          'type', upper(coalesce(nullif(postgis_typmod_type(y.atttypmod), ''), 'GEOMETRY')),
          'dimensions', case when y.atttypmod < 0 then 0 else postgis_typmod_dims(y.atttypmod) end,
          'srs', case when y.atttypmod < 0 then 0 else postgis_typmod_srid(y.atttypmod) end) end) as described
      from typed y where y.typtype <> 'd')
  select f.schema, f.name as "table", f.relkind = 'r' as "isTable",
         has_schema_privilege(f.schema, 'usage') and has_any_column_privilege(f.oid, 'select') as "isReadable",
         coalesce(json_agg(d.described order by d.attnum) filter (where d.attnum is not null), '[]') as columns
    from found f left join described d on d.attrelid = f.oid group by f.oid, f.schema, f.name, f.relkind`

/** A geometry type that occurs in the rows of a table. */
export interface GeometryKind {
  /** Geometry type in capitals, without dimensions. */
  readonly type: string
  readonly hasZ: boolean
  readonly hasM: boolean
  readonly srs: number
}

/** Number of rows to read if a column does not declare its geometry type. */
const sampleRows = 10_000

/** Finds the geometry types in the first rows of an untyped column. */
export function sampleGeometry(
  database: Queryable,
  place: TablePlace & { readonly column: string },
): Promise<GeometryKind[]> {
  const column = quoteName(place.column)
  return database.query<GeometryKind>(
    `select distinct rtrim(GeometryType(g), 'M') as type, ST_Zmflag(g) in (2, 3) as "hasZ",
            ST_Zmflag(g) in (1, 3) as "hasM", ST_SRID(g) as srs
       from (select ${column} as g from ${foreignName(place)} where ${column} is not null limit ${sampleRows}) sample
      order by 1, 2, 3, 4`,
  )
}

/** A schema with its readable tables and views. */
export interface ListedSchema {
  readonly name: string
  readonly tables: string[]
  readonly views: string[]
}

/** Lists the schemas of a database with the tables and views that the login can read, without system schemas. */
export function listSchemas(database: Queryable): Promise<ListedSchema[]> {
  return database.query<ListedSchema>(`
    select n.nspname as name,
           coalesce(json_agg(c.relname order by c.relname) filter (where c.relkind in ('r', 'p', 'f')), '[]') as tables,
           coalesce(json_agg(c.relname order by c.relname) filter (where c.relkind in ('v', 'm')), '[]') as views
      from pg_namespace n
      left join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'p', 'f', 'v', 'm')
       and has_table_privilege(c.oid, 'select')
     where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and has_schema_privilege(n.oid, 'usage')
     group by n.oid, n.nspname order by n.nspname`)
}

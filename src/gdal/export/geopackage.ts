import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../core/sql_quote.ts'
import { type FlatItems, sortByHilbert } from '../flatgeobuf/spatial_index.ts'
import type { PlacedFile, Translate } from './format_writers.ts'
import { packRtree } from './rtree.ts'

/**
 * Writes a GeoPackage. GDAL writes everything except the content of the spatial index, which would take half of the time.
 * The schema of the index is copied from a GeoPackage without features.
 *
 * @see https://www.geopackage.org/spec120/#extension_rtree
 */
export async function writeGeoPackage(translate: Translate, file: PlacedFile): Promise<void> {
  const { target, folder, items } = file
  const empty = join(folder, 'empty.gpkg')
  await translate(empty, ['-limit', '0'])
  const definition = readDefinition(empty)
  // Other versions of GDAL may create the index later, or in another way.
  if (definition === undefined) return translate(target, [])
  await translate(target, ['-lco', 'SPATIAL_INDEX=NO'])
  writeIndex(target, definition, items)
}

type Extension = Readonly<Record<string, string | null>>

interface IndexDefinition {
  /** Name of the virtual table. */
  readonly name: string
  readonly createTable: string
  readonly createTriggers: readonly string[]
  /** Definition of the extensions table, which a file without extensions does not have. */
  readonly createExtensions: string
  readonly extensions: readonly Extension[]
}

const extensionTable = 'gpkg_extensions'

function readDefinition(path: string): IndexDefinition | undefined {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const parts = database
      .prepare('select type, name, sql from sqlite_master where name glob ? or name = ?')
      .all('rtree_*', extensionTable) as { type: string; name: string; sql: string }[]
    const table = parts.find(({ sql }) => /^create virtual table/i.test(sql))
    const list = parts.find(({ name }) => name === extensionTable)
    if (table === undefined || list === undefined) return undefined
    return {
      name: table.name,
      createTable: table.sql,
      createTriggers: parts.filter(({ type }) => type === 'trigger').map(({ sql }) => sql),
      createExtensions: list.sql,
      extensions: database
        .prepare(`select * from ${extensionTable} where extension_name = 'gpkg_rtree_index'`)
        .all() as Extension[],
    }
  } finally {
    database.close()
  }
}

function writeIndex(path: string, definition: IndexDefinition, items: FlatItems): void {
  // Defensive mode protects the shadow tables of an index from writes.
  const database = new DatabaseSync(path, { defensive: false })
  try {
    // The file is not in use yet, and is deleted if this fails.
    database.exec('pragma journal_mode = off; pragma synchronous = off; begin')
    database.exec(definition.createTable)
    fillIndex(database, definition.name, items)
    for (const trigger of definition.createTriggers) database.exec(trigger)
    const isListed = database.prepare('select 1 from sqlite_master where name = ?').get(extensionTable)
    if (isListed === undefined) database.exec(definition.createExtensions)
    for (const extension of definition.extensions) insertExtension(database, extension)
    database.exec('commit')
  } finally {
    database.close()
  }
}

function fillIndex(database: DatabaseSync, name: string, items: FlatItems): void {
  const { nodes, parents, nodeOf } = packRtree(items, sortByHilbert(items))
  const table = (part: string) => quoteName(`${name}_${part}`)
  // Deletes the empty root node of the new index.
  database.exec(`delete from ${table('node')}`)
  const addNode = database.prepare(`insert into ${table('node')} (nodeno, data) values (?, ?)`)
  for (const { number, bytes } of nodes) addNode.run(number, bytes)
  const addParent = database.prepare(`insert into ${table('parent')} (nodeno, parentnode) values (?, ?)`)
  for (const { number, parent } of parents) addParent.run(number, parent)
  const addFeature = database.prepare(`insert into ${table('rowid')} (rowid, nodeno) values (?, ?)`)
  for (let item = 0; item < items.count; item += 1) addFeature.run(items.ids[item] ?? 0n, nodeOf[item] ?? 0)
}

function insertExtension(database: DatabaseSync, extension: Extension): void {
  const columns = Object.keys(extension)
  const places = columns.map(() => '?').join(', ')
  database
    .prepare(`insert into ${extensionTable} (${columns.join(', ')}) values (${places})`)
    .run(...Object.values(extension))
}

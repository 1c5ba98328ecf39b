import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../core/sql_quote.ts'
import { type FlatItems, orderByPlace } from '../flatgeobuf/spatial_index.ts'
import type { PlacedFile, Translate } from './format_writers.ts'
import { packRtree } from './rtree.ts'

/**
 * Writes a GeoPackage. GDAL writes all but the content of the spatial index, on which it would spend half of the time:
 * what belongs to an index is taken from a twin without features.
 *
 * @see https://www.geopackage.org/spec120/#extension_rtree
 */
export async function writeGeoPackage(translate: Translate, file: PlacedFile): Promise<void> {
  const { target, folder, items } = file
  const twin = join(folder, 'twin.gpkg')
  await translate(twin, ['-limit', '0'])
  const definition = readDefinition(twin)
  // Another version of GDAL may do it later, or in another way.
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
  /** The table that lists extensions: a file without any does not have it. */
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
  // What an index consists of is kept from writers that do not say this.
  const database = new DatabaseSync(path, { defensive: false })
  try {
    // Nobody has the file yet: what fails is thrown away.
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
  const { nodes, parents, nodeOf } = packRtree(items, orderByPlace(items))
  const table = (part: string) => quoteName(`${name}_${part}`)
  // The empty root that it was made with.
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

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { bytesOf } from '../../core/bytes.ts'
import { quoteName } from '../../core/sql_quote.ts'
import { bboxAround, bboxAt, type PackedBboxes } from '../../geo/bbox.ts'
import { type FlatItems, sortByHilbert } from '../flatgeobuf/spatial_index.ts'
import type { PlacedFile, Translate } from './format_writers.ts'

/** A node of a tree, with its range of cells of the level. */
interface PackedNode {
  /** Node number; the root is 1. */
  readonly number: number
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

/** A tree of nodes in the format of the R*Tree module of SQLite. */
interface PackedRtree {
  readonly nodes: readonly Pick<PackedNode, 'number' | 'bytes'>[]
  /** Parent of each node except the root. */
  readonly parents: readonly { readonly number: number; readonly parent: number }[]
  /** Node of each feature, in the order of the features. */
  readonly nodeOf: Uint32Array
}

/** Maximum number of cells in a node, for any page size. */
const cellsPerNode = 51

/** Size of a cell: a number of eight bytes, and four bounds of four bytes. */
const cellBytes = 24

/** Size of the header: depth of the tree, in the root, and number of cells. */
const headBytes = 4

const nodeBytes = headBytes + cellsPerNode * cellBytes

const rootNumber = 1

interface Cells {
  readonly numbers: BigInt64Array
  readonly boxes: PackedBboxes
}

type Range = readonly [start: number, end: number]

/** Bounds of the relative and absolute rounding error of a 32-bit float, and its maximum value. */
const offBy = 2 ** -23

const least = 2 ** -149

const greatest = 2 ** 128 - 2 ** 104

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

/**
 * Packs spatially sorted features into nodes that are as full as possible. Inserting them one by one takes several times
 * as long, and leaves nodes half empty.
 *
 * @see https://www.sqlite.org/rtree.html Shadow Tables
 */
function packRtree(items: FlatItems, order: Uint32Array): PackedRtree {
  const nodeOf = new Uint32Array(items.count)
  let cells = cellsOf(items, order)
  let level = packLevel(cells, { depth: 0, first: rootNumber + 1 })
  for (const { number, start, end } of level)
    for (const item of order.subarray(start, end)) nodeOf[item] = number
  const nodes = [...level]
  const parents: { number: number; parent: number }[] = []
  for (let depth = 1; level.length > 1; depth += 1) {
    cells = cellsAbove(cells, level)
    level = packLevel(cells, { depth, first: rootNumber + 1 + nodes.length })
    for (const { number: parent, start, end } of level)
      for (const below of cells.numbers.subarray(start, end)) parents.push({ number: Number(below), parent })
    nodes.push(...level)
  }
  return { nodes, parents, nodeOf }
}

/** Packs cells into nodes of about the same size, numbered from `first`; a single node is the root. */
function packLevel(cells: Cells, { depth, first }: { depth: number; first: number }): PackedNode[] {
  const size = cells.numbers.length
  const count = Math.max(1, Math.ceil(size / cellsPerNode))
  return Array.from({ length: count }, (_, at) => {
    const start = Math.floor((at * size) / count)
    const end = Math.floor(((at + 1) * size) / count)
    const isRoot = count === 1
    const bytes = writeNode(cells, [start, end], isRoot ? depth : 0)
    return { number: isRoot ? rootNumber : first + at, bytes, start, end }
  })
}

function cellsAbove({ boxes }: Cells, nodes: readonly PackedNode[]): Cells {
  const above = new Float64Array(4 * nodes.length)
  for (const [at, { start, end }] of nodes.entries()) above.set(bboxAround(boxes, start, end), 4 * at)
  return { numbers: BigInt64Array.from(nodes, ({ number }) => BigInt(number)), boxes: above }
}

function cellsOf(items: FlatItems, order: Uint32Array): Cells {
  const numbers = new BigInt64Array(order.length)
  const boxes = new Float64Array(4 * order.length)
  for (let cell = 0; cell < order.length; cell += 1) {
    const item = order[cell] ?? 0
    numbers[cell] = items.ids[item] ?? 0n
    boxes.set(items.boxes.subarray(4 * item, 4 * item + 4), 4 * cell)
  }
  return { numbers, boxes }
}

function writeNode({ numbers, boxes }: Cells, [start, end]: Range, depth: number): Buffer {
  const { bytes, view } = bytesOf(Buffer.alloc(nodeBytes))
  view.setUint16(0, depth)
  view.setUint16(2, end - start)
  for (let cell = start; cell < end; cell += 1) {
    const at = headBytes + (cell - start) * cellBytes
    const [west, south, east, north] = bboxAt(boxes, cell)
    view.setBigInt64(at, numbers[cell] ?? 0n)
    view.setFloat32(at + 8, roundDown(west))
    view.setFloat32(at + 12, roundUp(east))
    view.setFloat32(at + 16, roundDown(south))
    view.setFloat32(at + 20, roundUp(north))
  }
  return bytes
}

// Rounded boxes must contain the exact ones.
function roundDown(value: number): number {
  const near = Math.fround(value)
  if (near <= value) return near
  return Math.min(greatest, Math.fround(value - Math.abs(value) * offBy - least))
}

function roundUp(value: number): number {
  return -roundDown(-value)
}

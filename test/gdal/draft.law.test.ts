import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { geometryParts } from '../../src/contract/geometry.ts'
import { copyHeader, copyTrailer } from '../../src/core/copy_rows.ts'
import { isProblem } from '../../src/core/problem.ts'
import { readVector } from '../../src/gdal/read_vector.ts'
import type { LoadRules, RowLayout, SourceSummary } from '../../src/gdal/runner/vector_job.ts'
import { type Coordinates, type FeatureTable, packGeometry, packTable } from '../support/geopackage.ts'

// Each run takes a second, and shrinking takes many.
const soak = process.env.LANDFORM_SOAK !== undefined
const run = { seed: 20_261_122, numRuns: soak ? 100 : 2, endOnFailure: true }
const patience = soak ? { timeout: 7_200_000 } : {}

type TestGeometry = readonly [type: string, coordinates: Coordinates]

const families = ['POINT', 'LINESTRING', 'POLYGON'] as const
const degree = fc.integer({ min: -80, max: 80 })

/** Geometries at a location, single and multi, of each family. */
function shapesAt(at: number): readonly (readonly [single: TestGeometry, multi: TestGeometry])[] {
  const line = [[at, at], [at + 1, at], [at + 1, at + 2]] // biome-ignore format: one geometry
  const ring = [...line, [at, at]]
  return [
    [['Point', [at, at]], ['MultiPoint', [[at, at], [at + 1, at]]]], // biome-ignore format: one geometry
    [['LineString', line], ['MultiLineString', [line, ring]]], // biome-ignore format: one geometry
    [['Polygon', [ring]], ['MultiPolygon', [[ring], [ring.map(([x = 0, y = 0]) => [x - 3, y])]]]], // biome-ignore format: one geometry
  ]
}

const bow = (at: number): TestGeometry => ['Polygon', [[[at, at], [at + 1, at + 1], [at + 1, at], [at, at + 1], [at, at]]]] // biome-ignore format: one geometry
const open = (at: number): TestGeometry => ['Polygon', [[[at, at], [at + 1, at + 1], [at + 1, at]]]] // biome-ignore format: one geometry

function lift(coordinates: Coordinates): Coordinates {
  return typeof coordinates[0] === 'number'
    ? [...coordinates, 7]
    : (coordinates as readonly Coordinates[]).map(lift)
}

type Row = FeatureTable['rows'][number]

/** Declared type of a table, and the types of its geometries, mostly the same. */
interface Source {
  readonly declared: { readonly family: number; readonly isMulti: boolean; readonly hasZ: boolean }
  readonly rows: readonly Row[]
}

const rarely = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: usual }, { weight: 1, arbitrary: other })

type Declared = Source['declared']

/** A row that differs from the declaration of its table, or is invalid. */
interface Deviation {
  readonly what: string
  /** Requirement on the declaration of the table. */
  readonly declared?: Partial<Declared>
  readonly change: (row: Row, declared: Declared, at: number) => Row
}

const deviations: readonly Deviation[] = [
  { what: 'no deviation', change: (row) => row },
  {
    what: 'a geometry with two parts',
    declared: { isMulti: false },
    change: ([, ...rest], { family, hasZ }, at) => [packAt(shapesAt(at)[family]?.[1], hasZ), ...rest],
  },
  {
    what: 'a height',
    declared: { hasZ: false },
    change: ([, ...rest], { family, isMulti }, at) => [
      packAt(shapesAt(at)[family]?.[isMulti ? 1 : 0], true),
      ...rest,
    ],
  },
  {
    what: 'a geometry of another family',
    change: ([, ...rest], { family, hasZ }, at) => [
      packAt(shapesAt(at)[(family + 1) % 3]?.[0], hasZ),
      ...rest,
    ],
  },
  {
    what: 'an open ring',
    declared: { family: 2 },
    change: ([, ...rest], { hasZ }, at) => [packAt(open(at), hasZ), ...rest],
  },
  {
    what: 'a self-intersecting ring',
    declared: { family: 2 },
    change: ([, ...rest], { hasZ }, at) => [packAt(bow(at), hasZ), ...rest],
  },
  { what: 'a null geometry', change: ([, ...rest]) => [null, ...rest] },
  { what: 'a string as an id', change: ([geometry, , ...rest]) => [geometry, "'x'", ...rest] },
  { what: 'an id that is too large', change: ([geometry, , ...rest]) => [geometry, '3000000000', ...rest] },
  { what: 'a null id', change: ([geometry, , ...rest]) => [geometry, 'null', ...rest] },
  {
    what: 'an invalid date',
    change: ([geometry, ...rest]) => [geometry, ...rest.slice(0, 3), "'2021-02-29'"],
  },
]

function packAt(geometry: TestGeometry | undefined, hasZ: boolean): Buffer | null {
  if (geometry === undefined) return null
  const [type, coordinates] = geometry
  return packGeometry(type, hasZ ? lift(coordinates) : coordinates)
}

const values = fc.tuple(
  fc.nat(100_000_000).map(String),
  fc.constantFrom("'text'", "''", 'null', "'☃'"),
  fc.constantFrom('0.1', '-1e300', 'null', '3'),
  fc.constantFrom("'2020-02-29'", 'null'),
)

/** Sources with such a row near the end. */
function sourceOf(deviation: Deviation): fc.Arbitrary<Source> {
  return fc
    .record({
      said: fc.record({ family: fc.nat(2), isMulti: fc.boolean(), hasZ: fc.boolean() }),
      rows: fc.array(fc.tuple(degree, values), { minLength: 2, maxLength: 60 }),
      place: fc.nat(2),
    })
    .map(({ said, rows, place }) => {
      const declared = { ...said, ...deviation.declared }
      const { family, isMulti, hasZ } = declared
      const good = rows.map(
        ([at, row]): Row => [packAt(shapesAt(at)[family]?.[isMulti ? 1 : 0], hasZ), ...row],
      )
      const at = Math.max(0, good.length - 1 - place)
      return {
        declared,
        rows: good.map((row, index) => (index === at ? deviation.change(row, declared, place) : row)),
      }
    })
}

const rules: fc.Arbitrary<LoadRules> = fc.record({
  family: rarely(fc.constant(null), fc.constantFrom(...families)),
  isMulti: rarely(fc.constant(null), fc.boolean()),
  hasZ: rarely(fc.constant(null), fc.boolean()),
  skipOthers: fc.boolean(),
  fix: fc.constantFrom('NONE', 'SAFE', 'LOSSY'),
  skipErrors: rarely(fc.constant(true), fc.constant(false)),
  idSource: fc.constantFrom('SEQUENCE', 'FIELD', 'AUTO'),
  idFields: fc.constant(['nr']),
})

/** Result of reading: the problem, or everything that was sent last. */
interface Outcome {
  readonly problem?: unknown
  readonly summary?: SourceSummary
  readonly layout?: Omit<RowLayout, 'rowCount'>
  readonly rows?: string
  /** Whether the rows were sent before all of them were scanned. */
  readonly isDraft?: boolean
}

async function read(content: Buffer, loadRules: LoadRules): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-draft-'))
  try {
    const path = join(folder, 'blob')
    await writeFile(path, content)
    const given = { path, name: 'a.gpkg', folder, encoding: undefined, layer: undefined, wanted: undefined }
    const limits = { srs: 4326, unpackLimitBytes: 1 << 30, pieceBytes: 1 << 10 }
    let layout: RowLayout | undefined
    let rows = ''
    const summary = await readVector({ ...given, ...limits, ...loadRules }, async (set) => {
      layout = set.layout
      rows = ''
      for await (const copy of set.copies) {
        const whole = Buffer.concat(await Array.fromAsync(copy))
        // The boundaries between COPY streams do not matter.
        rows += whole.toString('hex', copyHeader.length, whole.length - copyTrailer.length)
      }
    })
    const { rowCount, ...known } = layout as unknown as RowLayout
    return { summary, layout: known, rows, isDraft: rowCount === undefined }
  } catch (error) {
    if (!isProblem(error)) throw error
    const { code, message, detail } = error
    return { problem: { code, message, detail } }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Packs rows into a table that declares its types, or does not. */
function pack({ rows }: Source, type: string, hasZ: boolean): Buffer {
  const finalSql = `update gpkg_geometry_columns set z = ${hasZ ? 1 : 2}`
  const columns = { nr: 'INTEGER', text: 'TEXT', real: 'REAL', day: 'DATE' }
  return packTable({ type, columns, rows, finalSql: hasZ || type === 'GEOMETRY' ? finalSql : '' })
}

let drafts = 0

test.each(deviations)(
  'loading a source with $what gives the same rows whether or not they are sent during the scan',
  patience,
  async (deviation) => {
    const law = fc.asyncProperty(sourceOf(deviation), rules, async (given, loadRules) => {
      const { family, isMulti, hasZ } = given.declared
      const name = `${isMulti ? 'MULTI' : ''}${families[family]}`
      const { isDraft, ...found } = await read(pack(given, name, hasZ), loadRules)
      if (isDraft) drafts += 1
      // Undeclared types are sent after the scan. A declared type determines Z, and the type of an empty layer.
      const type = found.layout && geometryParts(found.layout.geometryType)
      const isNothing = found.summary?.rowCount === 0
      const same = {
        hasZ: type?.hasZ ?? loadRules.hasZ,
        ...(isNothing ? { isMulti: type?.isMulti ?? null } : {}),
      }
      const { isDraft: _, ...expected } = await read(pack(given, 'GEOMETRY', false), {
        ...loadRules,
        ...same,
      })
      expect(found).toEqual(expected)
    })
    await fc.assert(law, run)
  },
)

test('most of these sources are sent during the scan', () => {
  expect(drafts).toBeGreaterThan((deviations.length * run.numRuns) / 4)
})

import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { migrate, readMigrations } from '../../src/database/migrate.ts'
import { isBadValue, mayBeMisread } from '../../src/gdal/sources/geopackage/value_sql.ts'
import type { ImportSource } from '../../src/import/stage_source.ts'
import { migrationsFolder } from '../../src/store/migrations.ts'
import { openTestDatabase } from '../support/drivers.ts'
import { type FeatureTable, packPoint, packTable } from '../support/geopackage.ts'
import { type ImportBench, openImportBench } from '../support/import.ts'
import { onlyNew } from '../support/only_new.ts'

let database: Database
let bench: ImportBench

beforeAll(async () => {
  database = await openTestDatabase('postgres')
  await migrate(database, await readMigrations(migrationsFolder), { version: 'test' })
  bench = await openImportBench(database)
})
const findNewFiles = onlyNew(() => bench.leftovers())
afterEach(async () => expect(await findNewFiles()).toEqual([]))
afterAll(async () => {
  await bench.remove()
  await database.close()
})

/** Loads what can be loaded of a table into 4326, and gives it as it stands in the database. */
async function load(table: FeatureTable, rules: Partial<ImportSource> = {}) {
  const source = packTable(table)
  const staged = await bench.stage('a.gpkg', source, { srs: 4326, skipErrors: true, ...rules })
  const { tableName, fields, report, geometryType } = staged
  const columns = fields.map(({ columnName, datatype }) =>
    datatype === 'REAL' || datatype === 'STRING' ? columnName : `${columnName}::text`,
  )
  const rows = await database.query<Record<string, unknown>>(
    `select ST_X(ST_GeometryN(geom, 1)) as x, ST_AsText(geom) as shape, ${['id', ...columns].join(', ')}
       from ${tableName} order by id`,
  )
  await staged.discard()
  return { rows, fields, report, geometryType }
}

const good = (text: string) => ({ sql: `'${text}'`, text })

type Value = string | { readonly sql: string; readonly text: string | number }

/** What may stand in a column, and what is to come of it: bad values are given as what is told of them. */
const columns: readonly [
  declared: string,
  datatype: string,
  good: readonly Value[],
  bad: Record<string, string>,
][] = [
  [
    'INTEGER',
    'BIGINT',
    ['7', '-1', '3000000000', '9223372036854775807', '-9223372036854775808', { sql: `' 12 '`, text: '12' }],
    {
      '1.5': '1.5 is not a valid BIGINT',
      '1e300': 'is not a valid BIGINT',
      '9e999': 'Inf is not a valid BIGINT',
      "'abc'": '"abc" is not a valid',
      "''": '"" is not a valid',
      "x'31'": 'a binary value is not a valid',
    },
  ],
  ['BIGINT', 'BIGINT', ['7', '-9223372036854775808'], {}],
  [
    'MEDIUMINT',
    'INTEGER',
    ['7', '70000', '2147483647', '-2147483648'],
    {
      '2147483648': '2147483648 is not a valid INTEGER',
      '-2147483649': 'is not a valid',
      "'7x'": '"7x" is not a valid',
      '2.5': 'is not a valid',
    },
  ],
  ['SMALLINT', 'INTEGER', ['7', '70000'], { '3000000000': 'is not a valid INTEGER' }],
  ['TINYINT', 'INTEGER', ['300'], { "'x'": 'is not a valid INTEGER' }],
  [
    'BOOLEAN',
    'INTEGER',
    ['0', '1'],
    { '2': '2 is not a valid BOOLEAN', '-1': '-1 is not a valid BOOLEAN', "'true'": '"true" is not a valid' },
  ],
  [
    'REAL',
    'REAL',
    [
      { sql: '0.1 + 0.2', text: 0.1 + 0.2 },
      { sql: '1e300', text: 1e300 },
    ],
    {
      "'abc'": 'is not a valid REAL',
      "''": 'is not a valid',
      "x'31'": 'is not a valid',
      '9e999': 'is not a number',
    },
  ],
  [
    'FLOAT',
    'REAL',
    [
      { sql: '20200101', text: 20_200_101 },
      { sql: '0.1', text: 0.1 },
    ],
    { "'1,5'": '"1,5" is not a valid REAL' },
  ],
  [
    'DECIMAL(9, 2)',
    'REAL',
    [
      { sql: '1.25', text: 1.25 },
      { sql: '3', text: 3 },
    ],
    { '9007199254740993': 'is not a valid REAL' },
  ],
  [
    'TEXT',
    'STRING',
    [good('abc'), good(''), good('☃')],
    {
      "x'4142'": 'a binary value is not a valid STRING',
      "cast(x'410042' as text)": 'is not a valid STRING',
      "cast(x'41ff' as text)": 'is not UTF-8',
    },
  ],
  [
    'VARCHAR(2)',
    'STRING',
    [good('abc'), { sql: '0.1', text: '0.1' }],
    { "x'41'": 'a binary value is not a valid' },
  ],
  [
    '',
    'STRING',
    [good('abc'), { sql: '7', text: '7' }, { sql: '0.1 + 0.2', text: '0.30000000000000004' }],
    {},
  ],
  [
    'DATE',
    'DATE',
    [good('2020-02-29')],
    {
      "'2020-13-45'": '"2020-13-45" is not a valid DATE',
      "'2021-02-29'": 'is not a valid DATE',
      "'2020-01-01T10:00:00Z'": 'is not a valid DATE',
      '20200101': '20200101 is not a valid DATE',
      "'now'": 'is not a valid',
      "'2458849.5'": 'is not a valid',
      "''": 'is not a valid',
      "'10:20:30'": 'is not a valid',
    },
  ],
  [
    'DATETIME',
    'DATETIME',
    [
      { sql: "'2020-02-29T10:20:30Z'", text: '2020-02-29 10:20:30' },
      { sql: "'2020-02-29 23:20:30'", text: '2020-02-29 23:20:30' },
      { sql: "'2020-02-29'", text: '2020-02-29 00:00:00' },
      { sql: "'2020-02-29T10:20:30+05:00'", text: '2020-02-29 10:20:30' },
    ],
    {
      "'2020-13-01T10:00:00Z'": 'is not a valid DATETIME',
      "'2020-01-01T24:00:00Z'": 'is not a valid',
      "'2020-01-01T25:00:00Z'": 'is not a valid',
      "'2021-02-29T10:00:00Z'": 'is not a valid',
      '1577836800': 'is not a valid',
      "'now'": 'is not a valid',
      "'10:20:30'": 'is not a valid',
    },
  ],
  [
    'BLOB',
    'STRING',
    [{ sql: "x'01ff'", text: '01FF' }],
    { '7': '7 is not a valid BLOB', "'abc'": '"abc" is not a valid BLOB' },
  ],
]

describe('a GeoPackage whose column of', () => {
  test.each(columns)(
    '%s holds any value loads %s values exactly, and reports the others',
    async (declared, datatype, kept, reported) => {
      const values = [
        ...kept.map((value) => (typeof value === 'string' ? { sql: value, text: value } : value)),
        { sql: 'null', text: null },
      ]
      const bad = Object.entries(reported)
      const sqls = [...values.map(({ sql }) => sql), ...bad.map(([sql]) => sql)]
      const table = {
        columns: { v: declared },
        rows: sqls.map((sql, index) => [packPoint([index, 0]), sql] as const),
      }
      const { rows, fields, report } = await load(table)
      expect(fields).toMatchObject([{ keyname: 'v', datatype }])
      const column = fields[0]?.columnName ?? ''
      expect(rows.map((row) => row[column])).toEqual(values.map(({ text }) => text))
      expect(rows.map(({ x }) => x)).toEqual(values.map((_, index) => index))
      expect(report.bad.map(({ number }) => number)).toEqual(bad.map((_, index) => values.length + index + 1))
      report.bad.forEach(({ reason }, index) => void expect(reason).toContain(bad[index]?.[1]))
    },
  )

  test.each(columns)('%s is copied for each bad value', (declared, datatype, _, reported) => {
    const type = { BIGINT: 'integer64', DATETIME: 'dateTime' }[datatype] ?? datatype.toLowerCase()
    const column = { name: 'v', declared, type: declared === 'BLOB' ? 'binary' : type }
    const memory = new DatabaseSync(':memory:')
    memory.exec(`create table a (v ${declared})`)
    const ask = (condition: string) =>
      Object.values(memory.prepare(`select ${condition} from a`).get() ?? {})[0]
    for (const sql of Object.keys(reported)) {
      memory.exec(`delete from a; insert into a values (null), (${sql})`)
      const isBad = ask(`max(coalesce(${isBadValue(column)}, 0))`)
      expect.soft([sql, isBad === 0 || ask(mayBeMisread(column))]).toEqual([sql, isBad === 0 || 1])
    }
    memory.close()
  })
})

/** Rows of points without other columns. */
const points = (...shapes: readonly Uint8Array[]) => shapes.map((shape) => [shape] as const)

describe('a GeoPackage', () => {
  test('with a geometry in another reference system than the table is reported', async () => {
    const shapes = [packPoint([1, 2]), packPoint([3, 4], { srs: 3857 }), packPoint([5, 6], { srs: 0 })]
    const { rows, report } = await load({ rows: points(...shapes) })
    expect(rows).toMatchObject([{ shape: 'POINT(1 2)' }, { shape: 'POINT(5 6)' }])
    const reason = 'the reference system of its geometry differs from that of the layer'
    expect(report.bad).toEqual([{ number: 2, reason }])
  })

  test('that declares no Z values keeps existing ones', async () => {
    const { rows, geometryType } = await load({
      rows: points(packPoint([1, 2]), packPoint([3, 4, 5], { code: 1001 })),
    })
    expect(geometryType).toBe('POINTZ')
    expect(rows).toMatchObject([{ shape: 'POINT Z (1 2 0)' }, { shape: 'POINT Z (3 4 5)' }])
  })

  test('that declares no M values reports that they are dropped', async () => {
    const { rows, report } = await load({ rows: points(packPoint([3, 4, 5], { code: 2001 })) })
    expect(rows).toMatchObject([{ shape: 'POINT(3 4)' }])
    expect(report.notes).toEqual([expect.stringContaining('measures')])
  })

  test.each([-1, 0])('with the undefined reference system %i is refused', async (srs) => {
    const loading = load({ srs, rows: points(packPoint([1, 2], { srs })) })
    await expect(loading).rejects.toMatchObject({ code: 'source/no-srs' })
  })

  test.each([1, 10])('that declares %i features loads its three features', async (count) => {
    const finalSql = `create table gpkg_ogr_contents (table_name text, feature_count integer);
      insert into gpkg_ogr_contents values ('a', ${count})`
    const rows = points(packPoint([1, 2]), packPoint([3, 4]), packPoint([5, 6]))
    expect((await load({ rows, finalSql })).report).toMatchObject({ count: 3, badCount: 0 })
  })

  test('with a view loads its values exactly, and reports bad ones', async () => {
    const finalSql = `alter table a rename to b;
      create view a as select fid as OGC_FID, geom, n, n * 0.1 as part, 'x' || n as text, x as fault from b`
    const columns = { n: 'INTEGER', x: 'INTEGER' }
    const rows = ['3', '7', "'y'"].map((n, index) => [packPoint([index, 0]), n, '1'] as const)
    const { rows: found, fields, report } = await load({ columns, rows, finalSql })
    expect(fields.map(({ keyname, datatype }) => `${keyname} ${datatype}`)).toEqual([
      'n BIGINT',
      'part STRING',
      'text STRING',
      'fault BIGINT',
    ])
    expect(found).toMatchObject([
      { c1: '3', c2: '0.30000000000000004', c3: 'x3', c4: '1' },
      { c1: '7', c2: '0.70000000000000007', c3: 'x7', c4: '1' },
    ])
    expect(report.bad).toEqual([{ number: 3, reason: 'n: "y" is not a valid BIGINT' }])
  })
})

test('columns of any name and number are copied', async () => {
  const names = ['id', 'ogc_fid', 'q"uote', "it's", 'back\\slash', 'select', ' ', 'ünï', 'Fault', 'x.y', '-x']
  const many = Array.from({ length: 300 }, (_, index) => `c_${index}`)
  const columns = Object.fromEntries([...names, ...many].map((name) => [name, 'MEDIUMINT']))
  const row = (last: string) => Object.keys(columns).map((_, index) => (index === 310 ? last : String(index)))
  const { rows, report } = await load({
    columns,
    rows: [
      [packPoint([1, 2]), ...row('310')],
      [packPoint([1, 2]), ...row("'x'")],
    ],
  })
  expect(rows).toHaveLength(1)
  expect(Array.from({ length: 311 }, (_, index) => rows[0]?.[`c${index + 1}`])).toEqual(
    Array.from({ length: 311 }, (_, index) => String(index)),
  )
  expect(report.bad).toEqual([{ number: 2, reason: 'c_299: "x" is not a valid INTEGER' }])
})

test('reads ids from a field of a copied table', async () => {
  const rows = ['70', "'x'", '7', '7.5', '3000000000'].map(
    (nr, index) => [packPoint([index, 0]), nr] as const,
  )
  const found = await load({ columns: { nr: 'INTEGER' }, rows }, { idSource: 'FIELD', idFields: ['nr'] })
  expect(found.rows.map(({ id, x }) => ({ id, x }))).toEqual([
    { id: 7, x: 2 },
    { id: 70, x: 0 },
  ])
  expect(found.report.bad.map(({ number }) => number)).toEqual([2, 4, 5])
})

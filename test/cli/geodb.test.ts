import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ForeignDatabase, useForeign } from '../support/geodb.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const openForeign = useForeign()
let foreign: ForeignDatabase
let server: TestServer
let cwd: string

beforeAll(async () => {
  foreign = await openForeign()
  const columns = 'gid serial primary key, way geometry(LineString, 25832), name text, lanes int, built date'
  await foreign.execute(`create table roads (${columns}); create table rails (${columns})`)
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-cli-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

interface Manifest {
  readonly port?: string
  readonly table?: string
  readonly layer?: string
}

const write = ({ port = '', table = 'roads', layer = '' }: Manifest) =>
  writeFile(
    join(cwd, 'gis.yaml'),
    `manifest: gis
resources:
  root:
    existing: true
    id: 0
    children:
      db:
        cls: geodb_connection
        display_name: Database
        geodb_connection:
          hostname: ${foreign.connection.hostname}
          port: ${port === '' ? foreign.connection.port : port}
          database: ${foreign.connection.database}
          username: ${foreign.connection.username}
          password: \${env.GIS_PASSWORD}
      roads:
        cls: geodb_layer
        display_name: Roads
        geodb_layer:
          connection: db
          schema: public
          table: ${table}
          column_id: gid
          column_geom: way
${layer}`,
  )

const run = (...words: string[]) =>
  runCommand([...words.slice(0, 1), 'gis.yaml', ...words.slice(1)], {
    cwd,
    env: { ...administratorEnv(server.url), GIS_PASSWORD: 'a sesame of the database' },
  })

test.each<[string, Manifest]>([
  ['what the table says', {}],
  ['a port as text', { port: `"#port"` }],
  [
    'a type and a reference system',
    { layer: '          geometry_type: LINESTRING\n          srs: { id: 25832 }\n' },
  ],
  ['a type to be read from the table', { layer: '          geometry_type: null\n' }],
  [
    'some fields, named and in another order',
    {
      layer: `        feature_layer:
          fields:
            - { keyname: lanes, datatype: INTEGER, display_name: Number of lanes }
            - { keyname: name, datatype: STRING, label_field: true }
`,
    },
  ],
  ['another table', { table: 'rails' }],
])('apply makes the changes between two states, and the next plan is empty: %s', async (_, manifest) => {
  const { port } = manifest
  await write({ ...manifest, ...(port && { port: port.replace('#port', String(foreign.connection.port)) }) })
  const plan = await run('plan')
  const applied = await run('apply', '--yes')
  expect([applied.exit, applied.err]).toEqual([0, expect.not.stringContaining('failed')])
  const again = await run('plan', '--exit-code')
  expect(again).toEqual({
    exit: 0,
    out: expect.stringContaining('Plan for gis: 0 changes, 3 unchanged.\n'),
    err: '',
  })
  for (const { out, err } of [plan, applied, again]) expect(out + err).not.toContain('sesame')
})

test('a plan shows that a password changes, but not its value', async () => {
  await write({})
  await run('apply', '--yes')
  const forgotten = await run('plan', '--json')
  expect(forgotten.out + forgotten.err).not.toContain('sesame')
  const [row] = await server.database.query<{ id: number; password: string }>(
    'select resource_id as id, password from geodb_connection',
  )
  const { secrets } = server.running.context
  expect(secrets.open(row?.password ?? '', `geodb_connection.password:${row?.id}`)).toBe(
    'a sesame of the database',
  )
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unknownValue } from '../../src/provider/property_values.ts'
import { drivers } from '../support/drivers.ts'
import {
  check,
  configure,
  create,
  diff,
  type Engine,
  invoke,
  none,
  readInitFailure,
  readState,
  remove,
  startConfigured,
  update,
  urnOf,
  type Wire,
} from '../support/pulumi_engine.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let engine: Engine
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-run-'))
  await writeRows('Oslo,10.75,59.9,709000', 'Wien,16.4,48.2,many', 'Brno,16.6,49.2,402000')
  server = await startTestServer(drivers[0] ?? 'pglite')
  engine = await startConfigured(server.url, {}, folder)
})
afterAll(async () => {
  await engine.stop()
  await server.stop()
  await rm(folder, { recursive: true })
  expect(engine.errors).toEqual([])
  expect(engine.warnings).toEqual([expect.stringContaining('line 3: people: "many" is not')])
})

const urn = urnOf('Run', 'load')
const layer = urnOf('VectorLayer', 'places')
const counts = { read: 3, loaded: 2, unchanged: 0, quarantined: 1 }
const writeRows = (...rows: string[]) =>
  writeFile(join(folder, 'places.csv'), ['name,lon,lat,people', ...rows, ''].join('\n'))
const field = (keyname: string, datatype: string) => ({ keyname, datatype, display_name: keyname })
const places = {
  vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } },
  feature_layer: { fields: [field('name', 'STRING'), field('people', 'INTEGER')] },
}

function pipelineOf(more: Wire = {}): Wire {
  return {
    pipeline: 'places',
    from: { file: 'places.csv', geometry: { longitude: 'lon', latitude: 'lat' } },
    quarantine: { file: 'bad.ndjson', limit: 1 },
    to: { layer: 'places' },
    ...more,
  }
}

/** State of the run that the next tests go on from. */
let inputs: Wire
let outputs: Wire

test('is previewed, and loads a file into a layer with its counts', async () => {
  const checked = await check(engine, layer, places)
  const news = { pipeline: pipelineOf() }
  const previewed = await check(engine, urn, news)
  expect(previewed.failures).toEqual([])
  const preview = await create(engine, urn, previewed.inputs, true)
  expect(preview.outputs).toMatchObject({ ...news, loaded: unknownValue, layers: unknownValue })
  await create(engine, layer, checked.inputs)
  ;({ inputs } = await check(engine, urn, news))
  const made = await create(engine, urn, inputs)
  expect(made.id).toBe('places')
  outputs = made.outputs
  expect(outputs).toMatchObject({ ...inputs, ...counts, outcome: 'loaded' })
  expect(outputs.layers).toMatchObject([{ layer: 'places', ...counts, quarantine_file: 'bad.ndjson' }])
  expect(await readFile(join(folder, 'bad.ndjson'), 'utf8')).toContain('Wien')
  expect((await diff(engine, urn, [inputs, (await check(engine, urn, news)).inputs])).changes).toBe(none)
})

test('runs again when its source, its definition or its triggers change', async () => {
  const { UPDATE, ADD } = pb.PropertyDiff.Kind
  const changed = async (news: Wire) =>
    (await diff(engine, urn, [inputs, (await check(engine, urn, news)).inputs])).paths
  expect(await changed({ pipeline: pipelineOf(), triggers: [1] })).toEqual({ triggers: ADD })
  expect(await changed({ pipeline: pipelineOf(), triggers: [unknownValue] })).toEqual({ triggers: ADD })
  expect(await changed({ pipeline: pipelineOf({ description: 'Towns' }) })).toEqual({})
  expect(await changed({ pipeline: pipelineOf({ quarantine: { limit: 2 } }) })).toEqual({ pipeline: UPDATE })
  await writeRows('Oslo,10.75,59.9,709000')
  const { inputs: news } = await check(engine, urn, {
    pipeline: pipelineOf({ to: { layer: 'places', allow_loss: true } }),
  })
  await writeRows('Oslo,10.75,59.9,709001')
  const { inputs: next } = await check(engine, urn, {
    pipeline: pipelineOf({ to: { layer: 'places', allow_loss: true } }),
  })
  expect((await diff(engine, urn, [news, next])).paths).toEqual({ digest: UPDATE })
  const done = await update(engine, urn, { id: 'places', olds: inputs, news: next })
  expect(done).toMatchObject({ read: 1, loaded: 1, quarantined: 0 })
  inputs = next
  outputs = done
})

test('a refresh finds data that were edited on the server, and layers that are gone', async () => {
  const state = { id: 'places', inputs, outputs }
  expect((await readState(engine, urn, state)).inputs).toEqual(inputs)
  const { resource_id: id } = await invoke(engine, 'landform:index:getLayer', { name: 'places' })
  const feature = { geom: 'POINT(0 0)', fields: { name: 'Rome' } }
  expect((await server.admin('POST', `/api/resource/${id}/feature/`, feature)).status).toBe(200)
  await configure(engine, { server: server.url, password: adminPassword })
  const drifted = await readState(engine, urn, state)
  expect((await diff(engine, urn, [drifted.inputs, inputs])).paths).toEqual({
    digest: pb.PropertyDiff.Kind.UPDATE,
  })
  const again = await update(engine, urn, { id: 'places', olds: drifted.inputs, news: inputs })
  expect(again).toMatchObject({ loaded: 1, outcome: 'loaded' })
  const gone = { ...outputs, layers: [{ layer: 'elsewhere', digest: '' }] }
  expect((await readState(engine, urn, { ...state, outputs: gone })).id).toBe('')
})

test('exports layers when their data have changed', async () => {
  const backup = urnOf('Run', 'backup')
  await writeFile(join(folder, 'backup.yaml'), backupFile)
  const news = { pipeline: 'backup.yaml', env: { FOLDER: 'out' } }
  const first = await check(engine, backup, news)
  const made = await create(engine, backup, first.inputs)
  expect(made.outputs).toMatchObject({
    outcome: 'exported',
    read: 1,
    layers: [{ file: 'out/places.geojson' }],
  })
  expect((await check(engine, backup, news)).inputs).toEqual(first.inputs)
  const state = { id: made.id, inputs: first.inputs, outputs: made.outputs }
  expect((await readState(engine, backup, state)).inputs).toEqual(first.inputs)
  await rm(join(folder, 'out/places.geojson'))
  expect((await readState(engine, backup, state)).inputs).not.toEqual(first.inputs)
  await writeRows('Oslo,10.75,59.9,709002')
  const { inputs: next } = await check(engine, urn, { pipeline: inputs.pipeline as Wire })
  await update(engine, urn, { id: 'places', olds: inputs, news: next })
  expect((await check(engine, backup, news)).inputs.digest).not.toBe(first.inputs.digest)
  await remove(engine, backup, made.id)
  await remove(engine, urn, 'places')
  expect(await invoke(engine, 'landform:index:getLayer', { name: 'places' })).toMatchObject({ features: 1 })
})

const backupFile = `
pipeline: backup
from: { layers: [places] }
to: { folder: "\${env.FOLDER}" }
`

test('a failed run is an initialization failure, which the next update repeats', async () => {
  await writeRows('Oslo,north,59.9,1', 'Wien,south,48.2,1')
  const { inputs: bad } = await check(engine, urn, { pipeline: pipelineOf() })
  const failed = await create(engine, urn, bad).catch((error: unknown) => error)
  const detail = readInitFailure(failed)
  expect(detail).toMatchObject({
    id: 'places',
    reasonsList: [expect.stringMatching(/2 of 2 rows .* are bad; the limit is 1/)],
  })
  expect((await diff(engine, urn, [{ pipeline: pipelineOf() }, bad])).paths).toEqual({
    digest: pb.PropertyDiff.Kind.ADD,
  })
})

test.each<[string, Wire, string, RegExp]>([
  ['no pipeline', {}, 'pipeline', /path of a pipeline file/],
  [
    'a misspelt property',
    { pipelin: 'a.yaml', pipeline: 'backup.yaml', env: { FOLDER: 'o' } },
    'pipelin',
    /did you mean "pipeline"/,
  ],
  ['a missing file', { pipeline: 'no.yaml' }, 'pipeline', /no\.yaml/],
  ['a missing variable', { pipeline: 'backup.yaml' }, 'pipeline', /backup\.yaml:4:\d+: .*FOLDER/],
  [
    'a missing source',
    { pipeline: pipelineOf({ from: { file: 'no.csv' } }) },
    'pipeline.from.file',
    /"no\.csv" does not exist/,
  ],
  ['a misspelt field', { pipeline: pipelineOf({ too: 1 }) }, 'pipeline.too', /did you mean "to"/],
  [
    'a missing layer',
    { pipeline: pipelineOf({ to: { layer: 'place' } }) },
    'pipeline.to.layer',
    /did you mean "places"/,
  ],
  ['triggers that are no list', { pipeline: pipelineOf(), triggers: 'a' }, 'triggers', /list/],
  ['a digest', { pipeline: pipelineOf(), digest: 'a' }, 'digest', /remove it/],
])('refuses %s at its property', async (_, news, property, reason) => {
  const { failures } = await check(engine, urn, news)
  expect(failures).toEqual([{ property, reason: expect.stringMatching(reason) }])
})

test('keeps unknown parts unknown, and cannot be imported', async () => {
  const news = { pipeline: pipelineOf({ to: { layer: unknownValue } }) }
  expect(await check(engine, urn, news)).toEqual({ inputs: { ...news, digest: unknownValue }, failures: [] })
  await expect(readState(engine, urn, { id: 'places', inputs: {}, outputs: {} })).rejects.toThrow(
    /cannot be imported/,
  )
})

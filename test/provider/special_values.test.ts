import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findAtPointer } from '../../src/core/pointer.ts'
import {
  signatureKey,
  signatures,
  unknownValue,
  unwrapProperties,
  type Values,
  wrapSecrets,
} from '../../src/provider/property_values.ts'
import { LandformProvider } from '../../src/provider/provider.ts'

let folder: string
let provider: LandformProvider
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-special-'))
  await writeFile(join(folder, 'a.csv'), 'lon,lat\n1,2\n')
})
beforeEach(() => {
  provider = new LandformProvider({ version: '1.0.0', env: {}, folder })
})
afterAll(() => rm(folder, { recursive: true }))

const urnOf = (type: string) => `urn:pulumi:dev::city::landform:index:${type}::one`
const secret = (value: unknown) => ({ [signatureKey]: signatures.secret, value })
const text = 'hunter2hunter2'
const asset = { [signatureKey]: signatures.asset, text }

const layer = { vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } } }
const rule = { action: 'allow', principal: 'guest', scope: 'resource', permission: 'read', propagate: true }
const item = { item_type: 'layer', display_name: 'a', layer_style_id: 'style' }
const connection = { hostname: 'h', database: 'd', username: 'u', password: 'p' }
const load = { pipeline: 'load', from: { file: 'a.csv' }, to: { layer: 'a' } }

/** A place for a value: class, known properties, pointer of the value, and the path of its change. */
type Place = readonly [string, Values, string, string]

const places: readonly Place[] = [
  ['ResourceGroup', { description: 'a' }, '/description', 'description'],
  ['ResourceGroup', { key: 'a' }, '/key', 'key'],
  ['ResourceGroup', { display_name: 'a' }, '/display_name', 'display_name'],
  ['ResourceGroup', { parent: 'a' }, '/parent', 'parent'],
  ['ResourceGroup', { owner: 'a' }, '/owner', 'owner'],
  ['ResourceGroup', { resmeta: { a: 1 } }, '/resmeta/a', 'resmeta.a'],
  ['ResourceGroup', { permissions: [rule] }, '/permissions', 'permissions'],
  ['ResourceGroup', { permissions: [rule] }, '/permissions/0/principal', 'permissions[0].principal'],
  [
    'VectorLayer',
    { ...layer, feature_layer: { fields: [{ keyname: 'a', datatype: 'STRING', display_name: 'b' }] } },
    '/feature_layer/fields/0/display_name',
    'feature_layer.fields[0].display_name',
  ],
  ['VectorLayer', { data: 'a.csv' }, '/data', 'data'],
  ['VectorLayer', { data: { source: 'a.csv' } }, '/data/source', 'data.source'],
  ['VectorLayer', { data: { source: 'a.csv', mode: 'seed' } }, '/data/mode', 'data.mode'],
  ['FileBucket', { files: ['a.csv'] }, '/files', 'files'],
  ['FileBucket', { files: [{ path: 'a.csv' }] }, '/files/0/path', 'files[0].path'],
  [
    'GeodbConnection',
    { geodb_connection: connection },
    '/geodb_connection/password',
    'geodb_connection.password',
  ],
  [
    'Webmap',
    { webmap: { root_item: { item_type: 'root', children: [item] } } },
    '/webmap/root_item/children/0/layer_style_id',
    'webmap.root_item.children[0].layer_style_id',
  ],
  ['Run', { pipeline: load }, '/pipeline/to/layer', 'pipeline'],
  ['Run', { pipeline: load, triggers: ['a'] }, '/triggers/0', 'triggers'],
]

function withValue(known: Values, pointer: string, value: unknown): Values {
  const copy = structuredClone(known)
  const at = pointer.lastIndexOf('/')
  const parent = findAtPointer(copy, pointer.slice(0, at)) as Record<string, unknown>
  parent[pointer.slice(at + 1)] = value
  return copy
}

test.each(places)(
  '%s %j keeps an unknown value at %s, and reports it as %s',
  async (type, known, pointer, path) => {
    const before = await provider.check(urnOf(type), { news: unwrapProperties(known) })
    expect(before.faults).toEqual([])
    const sent = unwrapProperties(withValue(known, pointer, unknownValue))
    const { values, faults } = await provider.check(urnOf(type), { news: sent })
    expect(faults).toEqual([])
    expect(findAtPointer(values, pointer)).toBe(unknownValue)
    const sides = { olds: unwrapProperties(before.values), news: unwrapProperties(values), ignored: [] }
    expect(provider.diff(urnOf(type), sides).map((change) => change.path)).toContain(path)
  },
)

test.each(places)('%s %j keeps a secret at %s secret, or refuses it', async (type, known, pointer) => {
  const given = type === 'FileBucket' || pointer.startsWith('/data') ? asset : text
  const placed = pointer === '/files' ? [{ path: asset, name: 'a' }] : given
  const named = pointer === '/files/0/path' ? { files: [{ path: 'a.csv', name: 'a' }] } : known
  const sent = unwrapProperties(withValue(named, pointer, secret(placed)))
  const { values, secrets, faults } = await provider.check(urnOf(type), { news: sent })
  // The service removes secrets from messages.
  if (faults.length > 0) return expect(faults[0]?.property).toContain(pointer.split('/')[1])
  const wire = JSON.stringify(wrapSecrets(values, secrets), (_, part: unknown) =>
    (part as Values | null)?.[signatureKey] === signatures.secret ? 'secret' : part,
  )
  expect(wire).not.toContain('hunter2')
  expect(wire).toContain('secret')
  if (!pointer.startsWith('/triggers')) expect(wire).not.toMatch(/"digest":"[0-9a-f]{64}"/)
})

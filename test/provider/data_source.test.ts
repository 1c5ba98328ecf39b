import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeData, openSource } from '../../src/provider/data_source.ts'
import { signatureKey, signatures, unknownValue } from '../../src/provider/property_values.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-source-'))
  await writeFile(join(folder, 'trees.geojson'), text)
})
afterAll(() => rm(folder, { recursive: true }))

const text = '{ "type": "FeatureCollection", "features": [] }'
const asset = (content: object) => ({ [signatureKey]: signatures.asset, ...content })
const archive = (content: object) => ({ [signatureKey]: signatures.archive, ...content })

test.each([
  ['a path', 'trees.geojson'],
  ['a FileAsset', asset({ path: 'trees.geojson', hash: 'of the engine' })],
  ['a StringAsset', asset({ text })],
  ['an archive of one file', archive({ assets: { 'trees.geojson': asset({ text }) } })],
])('%s gets the digest of its content', async (_, source) => {
  const short = await completeData({ data: source }, folder)
  const long = await completeData({ data: { source, mode: 'seed' } }, folder)
  expect(short.faults).toEqual([])
  const { digest } = short.inputs.data as { digest: string }
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  expect(short.inputs).toEqual({ data: { source, digest } })
  expect(long.inputs).toEqual({ data: { source, mode: 'seed', digest } })
  const same = await completeData({ data: asset({ text }) }, folder)
  expect(same.inputs.data).toMatchObject({ digest })
})

test('reads the layer of a folder with the files that belong to it', async () => {
  const parts = join(folder, 'parts')
  await mkdir(parts)
  for (const name of ['a.shp', 'a.shx', 'a.dbf', 'notes.txt']) await writeFile(join(parts, name), name)
  const opened = await openSource(archive({ path: 'parts' }), folder)
  expect(basename(opened.path)).toBe('a.shp')
  const before = await completeData({ data: archive({ path: 'parts' }) }, folder)
  await writeFile(join(parts, 'a.dbf'), 'changed')
  const after = await completeData({ data: archive({ path: 'parts' }) }, folder)
  expect(after.inputs).not.toEqual(before.inputs)
})

test('writes texts to a file of their format, and removes it', async () => {
  const opened = await openSource(asset({ text: 'lon,lat\n1,2\n' }), folder)
  expect(basename(opened.path)).toBe('data.csv')
  expect(await readFile(opened.path, 'utf8')).toContain('lon')
  await opened.remove()
  expect(existsSync(dirname(opened.path))).toBe(false)
})

test.each([
  ['a missing file', 'trees.geojsn', 'data', 'relative to the folder of the program'],
  ['a missing source', { source: 'trees.geojsn' }, 'data.source', 'does not exist'],
  ['a URL', asset({ uri: 'https://example.org/a.csv' }), 'data', 'FileAsset'],
  [
    'two layers',
    archive({ assets: { 'a.csv': asset({ text: 'lon,lat' }), 'b.csv': asset({ text: 'lon,lat' }) } }),
    'data',
    '2 data files',
  ],
  ['a nested archive', archive({ assets: { a: archive({ path: 'parts' }) } }), 'data', 'not a file'],
])('refuses %s', async (_, source, property, reason) => {
  const { faults } = await completeData({ data: source }, folder)
  expect(faults).toEqual([{ property, reason: expect.stringContaining(reason) }])
})

test('refuses a digest in the program, and keeps an unknown source', async () => {
  const { faults } = await completeData({ data: { source: 'trees.geojson', digest: 'x' } }, folder)
  expect(faults).toEqual([{ property: 'data.digest', reason: expect.stringContaining('remove it') }])
  const unknown = { data: { source: unknownValue } }
  expect(await completeData(unknown, folder)).toEqual({ inputs: unknown, faults: [] })
})

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-features-'))
  await mkdir(join(cwd, 'photos'))
  for (const [name, text] of Object.entries({ 'a.jpg': 'first', 'b.jpg': 'second' }))
    await writeFile(join(cwd, 'photos', name), text)
  await writePlaces(['NO', 'SE', 'DK'])
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

function run(...words: readonly string[]): Promise<Ran> {
  const env = administratorEnv(server.url)
  return runCommand(words, { cwd, env })
}

async function writePlaces(codes: readonly string[]): Promise<void> {
  const features = codes.map((code, at) => ({
    type: 'Feature',
    properties: { code },
    geometry: { type: 'Point', coordinates: [10 + at, 60] },
  }))
  await writeFile(join(cwd, 'places.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
}

/** Writes the manifest, with `features:` of the layer as JSON. */
async function write(features: object | undefined, data: object = { mode: 'replace' }): Promise<void> {
  const layer = {
    ...{
      cls: 'vector_layer',
      parent: 'root',
      display_name: 'Places',
      data: { source: 'places.geojson', ...data },
    },
    ...(features === undefined ? {} : { features }),
  }
  const resources = { root: { existing: true, id: 0 }, places: layer }
  await writeFile(join(cwd, 'm.yaml'), JSON.stringify({ manifest: 'places', resources }))
}

interface Extended {
  readonly key: string
  readonly description: string | null
  readonly attachments: readonly {
    readonly name: string
    readonly description: string | null
    readonly id: number
  }[]
}

async function readFeatures() {
  const [found] = await (await server.admin('GET', '/api/resource/search/?keyname=places')).json<
    { resource: { id: number } }[]
  >()
  const path = `/api/resource/${found?.resource.id}/feature_extensions?key=code`
  return (await server.admin('GET', path)).json<Extended[]>()
}

const shown = (all: readonly Extended[]) =>
  all.map(({ key, description, attachments }) => [key, description, attachments.map(({ name }) => name)])

const lastEntry = async () => /^\d+/m.exec((await run('history', '--limit', '1')).out)?.[0] ?? ''

async function applyAndPlanAgain(...more: readonly string[]): Promise<Ran> {
  const applied = await run('apply', 'm.yaml', '--yes', ...more)
  expect(applied.err).not.toContain('error')
  expect(applied.exit).toBe(0)
  const again = await run('plan', 'm.yaml', '--exit-code')
  expect({ exit: again.exit, out: again.out }).toMatchObject({ exit: 0 })
  return applied
}

const both = {
  key: 'code',
  descriptions: { NO: 'A long coast.', SE: 'Many lakes.' },
  attachments: {
    NO: ['photos/*.jpg'],
    SE: [{ path: 'photos/a.jpg', name: 'lake.jpg', description: 'Lake' }],
  },
}

it('creates a layer with descriptions and attachments of its features', async () => {
  await write(both)
  await applyAndPlanAgain()
  expect(shown(await readFeatures())).toEqual([
    ['NO', 'A long coast.', ['a.jpg', 'b.jpg']],
    ['SE', 'Many lakes.', ['lake.jpg']],
  ])
})

it('changes only what differs, and removes what the manifest does not list', async () => {
  const before = await readFeatures()
  await writeFile(join(cwd, 'photos', 'b.jpg'), 'third')
  const descriptions = { NO: 'A very long coast.', SE: 'Many lakes.' }
  await write({ ...both, descriptions, attachments: { NO: ['photos/*.jpg'] } })
  const plan = await run('plan', 'm.yaml')
  expect(plan.out).toContain('attachment of NO  ~ b.jpg')
  expect(plan.out).toContain('attachment of SE  - lake.jpg')
  expect(plan.out).not.toContain('a.jpg')
  await applyAndPlanAgain()
  const after = await readFeatures()
  expect(shown(after)).toEqual([
    ['NO', 'A very long coast.', ['a.jpg', 'b.jpg']],
    ['SE', 'Many lakes.', []],
  ])
  const idOf = (all: readonly Extended[]) => all[0]?.attachments.find(({ name }) => name === 'a.jpg')?.id
  expect(idOf(after)).toBe(idOf(before))
})

it('writes them again after a load, to the features with the same keys', async () => {
  await writePlaces(['SE', 'DK', 'NO'])
  await applyAndPlanAgain()
  expect(shown(await readFeatures())).toEqual([
    ['SE', 'Many lakes.', []],
    ['NO', 'A very long coast.', ['a.jpg', 'b.jpg']],
  ])
})

it('writes them to features that the same synchronization adds', async () => {
  await writePlaces(['SE', 'NO', 'FI'])
  const descriptions = { NO: 'A very long coast.', SE: 'Many lakes.', FI: 'Many more lakes.' }
  await write({ key: 'code', descriptions, attachments: {} }, { mode: 'sync', key: 'code' })
  await applyAndPlanAgain('--allow-loss', 'places')
  expect(shown(await readFeatures()).map(([key, text]) => [key, text])).toEqual([
    ['SE', 'Many lakes.'],
    ['NO', 'A very long coast.'],
    ['FI', 'Many more lakes.'],
  ])
})

it('refuses a plan that removes most of them', async () => {
  await write({ key: 'code', descriptions: { NO: 'A very long coast.' } }, { mode: 'sync', key: 'code' })
  const plan = await run('plan', 'm.yaml')
  expect(plan.err).toMatch(
    /m\.yaml:\d+:\d+ error plan\/file-loss: "places" would lose 2 of 3 feature descriptions/,
  )
  expect(plan.exit).toBe(1)
})

it('counts descriptions and attachments apart, so that many of one do not hide the loss of the other', async () => {
  const attachments = { NO: ['photos/*.jpg'], SE: ['photos/*.jpg'] }
  await write({ key: 'code', descriptions: { NO: 'A coast.' }, attachments }, { mode: 'sync', key: 'code' })
  await applyAndPlanAgain('--allow-loss', 'places')
  await write({ key: 'code', descriptions: {}, attachments }, { mode: 'sync', key: 'code' })
  const plan = await run('plan', 'm.yaml')
  expect([plan.exit, plan.err]).toEqual([
    1,
    expect.stringContaining('"places" would lose 1 of 1 feature description'),
  ])
  await write({ key: 'code', descriptions: {}, attachments: {} }, { mode: 'sync', key: 'code' })
  expect((await run('plan', 'm.yaml')).err).toContain('"places" would lose 4 of 4 attachments')
  const before = { NO: 'A very long coast.', SE: 'Many lakes.', FI: 'Many more lakes.' }
  await write({ key: 'code', descriptions: before, attachments: {} }, { mode: 'sync', key: 'code' })
  await applyAndPlanAgain('--allow-loss', 'places')
})

it('undoes a load with them, says which it does not restore, and keeps what the apply only added', async () => {
  const before = shown(await readFeatures())
  await writePlaces(['SE', 'NO'])
  await write({ key: 'code', descriptions: {} })
  await applyAndPlanAgain('--allow-loss', 'places')
  expect(shown(await readFeatures())).toEqual([])
  const undone = await run('undo', await lastEntry(), '--yes')
  expect(undone.err).not.toContain('warning')
  expect(shown(await readFeatures())).toEqual(before)
  await write({ key: 'code', descriptions: { SE: 'Lakes.' } }, { mode: 'seed' })
  await applyAndPlanAgain('--allow-loss', 'places')
  const refused = await run('undo', await lastEntry(), '--yes')
  expect(refused.exit).toBe(1)
  expect(refused.err).toContain(
    'deleted and changed data of "places", which the server does not keep: 2 feature descriptions, 1 changed feature description',
  )
  expect(refused.err).toContain(
    'warning undo/features: descriptions and attachments of features stay as apply',
  )
  await write({ key: 'code', descriptions: { SE: 'Lakes.', NO: 'A coast.' } }, { mode: 'seed' })
  await applyAndPlanAgain()
  expect((await run('undo', await lastEntry())).err).toContain(
    'warning undo/features: descriptions and attachments of features stay as apply',
  )
  await writePlaces(['SE', 'NO', 'FI'])
})

it('names a feature that does not exist, and changes nothing', async () => {
  const before = await readFeatures()
  const descriptions = { NO: 'Changed.', SE: 'Changed.', XX: 'Nowhere.' }
  await write({ key: 'code', descriptions }, { mode: 'sync', key: 'code' })
  for (const words of [['validate'], ['plan'], ['apply', '--yes', '--allow-loss', 'places']]) {
    const ran = await run(...words, 'm.yaml')
    expect([words, ran.exit]).toEqual([words, 3])
    expect(ran.err + ran.out).toContain('error data/key: no feature of the source of "places" has code "XX"')
  }
  expect(await readFeatures()).toEqual(before)
})

it.each([
  ['a new layer', 'new_places', {}],
  ['a layer that is loaded again', 'places', { mode: 'replace' }],
  ['a layer that is synchronized', 'places', { mode: 'sync', key: 'code' }],
])('names features that do not exist, or have the same key, in the plan of %s', async (_, key, data) => {
  const names = ['a', 'b', 'b']
  const features = names.map((kind, at) => ({
    ...{ type: 'Feature', geometry: { type: 'Point', coordinates: [at, 1] } },
    properties: { code: `c${at}`, kind, number: at },
  }))
  await writeFile(join(cwd, 'kinds.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
  const resources = (part: object) => ({
    root: { existing: true, id: 0 },
    [key]: {
      ...{ cls: 'vector_layer', parent: 'root', display_name: 'Kinds' },
      data: { source: 'kinds.geojson', ...data },
      features: part,
    },
  })
  const faultsOf = async (part: object) => {
    await writeFile(join(cwd, 'k.yaml'), JSON.stringify({ manifest: 'places', resources: resources(part) }))
    const words = ['k.yaml', '--allow-loss', key, '--overwrite-data', key]
    const { err } = await run('plan', ...words)
    return err.split('\n').flatMap((line) => line.split('data/key: ')[1] ?? [])
  }
  expect(await faultsOf({ key: 'kind', descriptions: { a: 'A', b: 'B', c: 'C' } })).toEqual([
    `2 features of the source of "${key}" have kind "b"`,
    `no feature of the source of "${key}" has kind "c"`,
  ])
  expect(await faultsOf({ key: 'number', descriptions: { 0: 'A' }, attachments: { 9: ['m.yaml'] } })).toEqual(
    [`no feature of the source of "${key}" has number "9"`],
  )
})

it('keeps them when the block no longer names them, and says so until they are deleted', async () => {
  const before = await readFeatures()
  const data = { mode: 'sync', key: 'code' }
  await write(undefined, data)
  const told = 'warning plan/left-behind: "places" still has 2 feature descriptions'
  for (const command of [['plan'], ['apply', '--yes'], ['plan']]) {
    const ran = await run(...command, 'm.yaml')
    expect([ran.out, ran.err]).toEqual([expect.stringContaining('0 changes'), expect.stringContaining(told)])
  }
  expect((await run('plan', 'm.yaml', '--exit-code')).exit).toBe(2)
  expect(await readFeatures()).toEqual(before)
  const refused = await run('plan', 'm.yaml', '--prune')
  expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining('would lose 2 of 2 feature descr')])
  expect((await applyAndPlanAgain('--prune', '--allow-loss', 'places')).out).toContain('1 updated')
  expect(await readFeatures()).toEqual([])
})

it('records them if nothing else of the resource changes, so that their removal is told', async () => {
  const attachments = { NO: ['photos/*.jpg'] }
  await write({ key: 'code', descriptions: { NO: 'A coast.' } }, { mode: 'seed' })
  await applyAndPlanAgain()
  await write({ key: 'code', descriptions: { NO: 'A coast.' }, attachments }, { mode: 'seed' })
  await applyAndPlanAgain()
  await write({ key: 'code', descriptions: { NO: 'A coast.' } }, { mode: 'seed' })
  expect((await run('plan', 'm.yaml')).err).toContain('"places" still has 2 attachments')
  await write({ key: 'code', attachments }, { mode: 'seed' })
  const left = await run('plan', 'm.yaml')
  expect(left.err).toContain('"places" still has 1 feature description')
  expect(left.err).not.toContain('attachment')
})

it('reports faults with their positions', async () => {
  const text = `manifest: places
resources:
  root: { existing: true, id: 0 }
  places:
    cls: vector_layer
    parent: root
    display_name: Places
    vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
    feature_layer: { fields: [{ keyname: code, datatype: STRING }] }
    features:
      key: cod
      descriptions: { NO: 1 }
      attachments:
        NO: [missing.pdf, photos/a.jpg, { path: photos/b.jpg, name: a.jpg }]
`
  await writeFile(join(cwd, 'm.yaml'), text)
  const { out, exit: code } = await run('validate', 'm.yaml')
  expect(code).toBe(3)
  expect(out).toContain(
    'm.yaml:11:12 error manifest/bad-value: places.features.key: the layer has no field "cod"',
  )
  expect(out).toContain('m.yaml:12:27 error manifest/bad-value: places.features.descriptions.NO')
  expect(out).toContain('m.yaml:14:14 error file/not-found')
  expect(out).toContain('m.yaml:14:41 error manifest/duplicate-item')
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uploadContent } from '../support/samples.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-undo-descriptions-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

async function run(...words: readonly string[]): Promise<Ran> {
  return runCommand(words, { cwd, env: administratorEnv(server.url) })
}

/** Loads places by their names into a layer, and returns the entry of the journal. */
async function load(key: string, data: string, names: readonly string[], features = ''): Promise<string> {
  const places = names.map((name, at) => ({
    type: 'Feature',
    properties: { name },
    geometry: { type: 'Point', coordinates: [at, 1] },
  }))
  const collection = { type: 'FeatureCollection', features: places }
  await writeFile(join(cwd, `${key}.geojson`), JSON.stringify(collection))
  await writeFile(
    join(cwd, 'm.yaml'),
    `manifest: ${key}
resources:
  root: { existing: true, id: 0 }
  ${key}:
    cls: vector_layer
    parent: root
    display_name: ${key}
    data: { source: ${key}.geojson${data} }
${features}`,
  )
  const applied = await run('apply', 'm.yaml', '--yes', '--allow-loss', key)
  expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
  return /^\d+/m.exec((await run('history', '--limit', '1')).out)?.[0] ?? ''
}

const pathOf = async (key: string) => {
  const found = await (await server.admin('GET', `/api/resource/search/?keyname=${key}`)).json<
    { resource: { id: number } }[]
  >()
  return `/api/resource/${found[0]?.resource.id}/feature/`
}

const describeFeature = async (key: string, id: number, description: string) =>
  server.admin('PUT', `${await pathOf(key)}${id}`, { extensions: { description } })

const attach = async (key: string, id: number, name: string) =>
  server.admin('POST', `${await pathOf(key)}${id}/attachment/`, {
    name,
    file_upload: await uploadContent(server.admin, name),
  })

const writers: readonly [string, (key: string) => Promise<unknown>][] = [
  ['descriptions', async (key) => describeFeature(key, 1, 'By hand.')],
  ['attachments', async (key) => attach(key, 1, 'by_hand.txt')],
]

const featuresOf = (words: string) => `    features: { key: name, ${words} }\n`
const first = featuresOf('descriptions: { A: First. }')
const laterApplies: readonly [string, string][] = [
  ['descriptions', 'descriptions: { A: Later. }'],
  ['attachments', 'descriptions: { A: First. }, attachments: { A: [later.txt] }'],
]

describe.each([
  ['replace', ''],
  ['sync', ', mode: sync, key: name'],
])('an undo of a load by %s', (mode, data) => {
  test.each(writers)('refuses to delete %s that others wrote on features since', async (what, write) => {
    const key = `late_${what}_${mode}`
    await load(key, data, ['A', 'B'])
    await describeFeature(key, 1, 'Before.')
    const entry = await load(key, data, ['A', 'C'])
    expect((await run('undo', entry, '--plan')).exit).toBe(0)
    await write(key)
    const refused = await run('undo', entry, '--yes')
    expect([refused.exit, refused.err]).toEqual([
      1,
      expect.stringContaining(
        `error undo/edited: descriptions or attachments of features of "${key}", which the undo would replace, were written since apply ${entry} (administrator, `,
      ),
    ])
    const undone = await run('undo', entry, '--yes', '--overwrite', key)
    expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
  })

  test.each(laterApplies)(
    'refuses to delete %s that a later apply wrote on features',
    async (what, later) => {
      const key = `later_${what}_${mode}`
      await writeFile(join(cwd, 'later.txt'), 'Later')
      await load(key, data, ['A', 'B'], first)
      const entry = await load(key, data, ['A', 'C'], first)
      const last = await load(key, data, ['A', 'C'], featuresOf(later))
      const refused = `error undo/edited: descriptions or attachments of features of "${key}", which the undo would replace, were written since apply ${entry} (administrator, `
      const by = ` UTC, by apply ${last})\n`
      const tried = await run('undo', entry, '--yes')
      expect([tried.exit, tried.err]).toEqual([1, expect.stringContaining(refused)])
      expect(tried.err).toContain(by)
      expect((await run('undo', entry, '--yes', '--overwrite', key)).exit).toBe(0)
    },
  )

  test('names who edited the data, not a later apply that wrote descriptions', async () => {
    const key = `author_${mode}`
    await load(key, data, ['A', 'B'], first)
    const entry = await load(key, data, ['A', 'C'], first)
    const described = featuresOf('descriptions: { A: New. }')
    await load(key, data, ['A', 'C'], described)
    await server.admin('PUT', `${await pathOf(key)}1`, { fields: { name: 'E' } })
    const edited = `error undo/edited: the data of "${key}", which the undo would replace, were edited`
    expect((await run('undo', entry, '--plan')).err).toMatch(
      new RegExp(
        `^${edited} 1 time since apply ${entry}, without an apply \\(feature 1\\), last by administrator at \\S+ \\S+ UTC\\n`,
      ),
    )
    await load(key, `${data}${mode === 'replace' ? ', mode: replace' : ''}`, ['A', 'D'], described)
    expect((await run('undo', entry, '--plan')).err).toMatch(
      new RegExp(
        `^${edited} 2 times since apply ${entry}: 1 time by apply \\d+ \\(administrator, \\S+ \\S+ UTC\\), 1 time without an apply, last by administrator at`,
      ),
    )
  })

  test('deletes what the apply itself wrote on features, and tells how many come back and go', async () => {
    const key = `own_${mode}`
    await load(key, data, ['A', 'B'])
    await describeFeature(key, 1, 'Before.')
    await attach(key, 2, 'before.txt')
    const features = '    features: { key: name, descriptions: { C: New., A: Old. } }\n'
    const entry = await load(key, data, ['C', 'A'], features)
    const planned = await run('undo', entry, '--plan')
    expect(planned.out).toMatch(
      /data {2}restores 2 features .*\n +features {2}\+ 1 attachment, 1 description\n +features {2}- 2 descriptions\n/,
    )
    const events = (await run('undo', entry, '--plan', '--json')).out.trim().split('\n')
    expect(events.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({
        restores: {
          features: 2,
          returns: { attachments: 1, descriptions: 1 },
          deletes: { attachments: 0, descriptions: 2 },
        },
      }),
    )
    const undone = await run('undo', entry, '--yes')
    expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLayerClient } from '../support/layer_client.ts'
import { administratorEnv, describeServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const rows = ['10,60,Oslo,2', 'x,42,Rome,4', '1,2,Bonn,four', '1,2,Bern,3', '3,4,Kyiv,1.50']
const csv = `longitude,latitude,name,lanes\n${rows.join('\n')}\n`

const bad = [
  { number: 2, reason: 'longitude: "x" is not a number' },
  { number: 3, reason: 'lanes: "four" is not a valid INTEGER' },
  { number: 5, reason: 'lanes: "1.50" is not a valid INTEGER' },
]
const listed = bad.map(({ number, reason }) => `feature ${number}: ${reason}`)

const fields = [
  { keyname: 'name', datatype: 'STRING' },
  { keyname: 'lanes', datatype: 'INTEGER' },
]

describeServer('invalid rows that a load skips', (start) => {
  let server: TestServer
  let cwd: string
  beforeAll(async () => {
    server = await start()
    cwd = await mkdtemp(join(tmpdir(), 'landform-skipped-'))
    await writeFile(join(cwd, 'roads.csv'), csv)
  })
  afterAll(async () => {
    await rm(cwd, { recursive: true, force: true })
  })

  const run = (...words: readonly string[]) => runCommand(words, { cwd, env: administratorEnv(server.url) })

  async function write(key: string, { data = 'skip_errors: true', lanes = 'INTEGER' } = {}): Promise<string> {
    const list = fields.map(({ keyname, datatype }) =>
      keyname === 'lanes'
        ? `{ keyname: lanes, datatype: ${lanes} }`
        : `{ keyname: ${keyname}, datatype: ${datatype} }`,
    )
    const text = `manifest: ${key}
resources:
  root: { existing: true, id: 0 }
  ${key}:
    cls: vector_layer
    parent: root
    display_name: ${key}
    data: { source: roads.csv, ${data} }
    feature_layer:
      fields:
${list.map((field) => `        - ${field}`).join('\n')}
`
    await writeFile(join(cwd, `${key}.yaml`), text)
    return `${key}.yaml`
  }

  const eventsOf = (out: string) =>
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  const headOf = async (key: string) => (await run('data', 'head', key, '--no-geom', '--json')).out

  /** Loads the file with the request of the HTTP API, in one step. */
  async function loadDirectly(display_name: string, keyname: string) {
    const upload = await openLayerClient(server).upload('roads.csv', csv)
    const answer = await server.admin('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name, keyname },
      vector_layer: { srs: { id: 3857 }, source: upload, skip_errors: true },
      feature_layer: { fields },
    })
    return (await answer.json<{ report: { bad_count: number; bad: object[]; feature_count: number } }>())
      .report
  }

  describe.each([
    ['in one transaction', 'whole', []],
    ['request by request', 'single', ['--no-atomic']],
  ] as const)('applied %s', (_, key, options) => {
    it('are those of a direct load, in plan, report, events and history', async () => {
      const direct = await loadDirectly(`Direct ${key}`, `direct_${key}`)
      expect(direct).toMatchObject({ feature_count: 2, bad_count: 3, bad })
      const file = await write(key)
      const planned = await run('plan', file)
      expect([planned.exit, planned.err]).toEqual([0, ''])
      expect(planned.out).toContain('skips 3 invalid features:')
      for (const line of listed) expect(planned.out).toContain(line)
      const applied = await run('apply', file, '--yes', '--json', ...options)
      const events = eventsOf(applied.out)
      const outcome = events.find(({ type }) => type === 'outcome')
      expect(outcome).toMatchObject({ report: direct, skipped: { bad_count: 3, bad } })
      const change = events.find(({ type }) => type === 'change') as { data?: object }
      expect(change.data).toMatchObject({ feature_count_after: 2, skipped: { bad_count: 3, bad } })
      const [head, directHead] = [await headOf(key), await headOf(`direct_${key}`)]
      expect(head).toBe(directHead)
      expect((await run('plan', file)).out).toContain('0 changes')
      expect((await run('history', key)).out).toContain('3 invalid features skipped')
      expect((await run('history', key, '--json')).out).toContain('"bad_count":3')
    })

    it('are told for people, and for a synchronization too', async () => {
      const file = await write(`${key}_sync`, { data: 'skip_errors: true, mode: sync, key: name' })
      const applied = await run('apply', file, '--yes', ...options)
      expect(applied.out).toContain(`${key}_sync: 2 features loaded, 3 invalid skipped\n    ${listed[0]}`)
      expect((await run('plan', file)).out).toContain('0 changes')
      await writeFile(join(cwd, 'roads.csv'), `${csv}5,6,Riga,7\n`)
      const synced = await run('apply', file, '--yes', ...options)
      await writeFile(join(cwd, 'roads.csv'), csv)
      expect(synced.out).toMatch(/_sync: .*1 .*, 3 invalid skipped\n {4}feature 2: /)
      expect(synced.out).toContain('skips 3 invalid features:')
    })
  })

  it('are an error in the plan without skip_errors, at the datatype that they do not fit', async () => {
    const file = await write('strict', { data: 'fix_errors: NONE' })
    const planned = await run('plan', file)
    expect(planned.exit).toBe(1)
    const found =
      '2 values of the field "lanes" in the source of "strict" cannot be converted from STRING to INTEGER'
    expect(planned.err).toContain(
      `strict.yaml:12:39 error plan/unconvertible: ${found}: feature 3 has "four", feature 5 has`,
    )
    expect(planned.err).toContain('skip their features with data: { skip_errors: true }')
    expect(planned.err).toContain('feature 2: longitude: "x" is not a number')
  })

  it('are told for a synchronization by data import', async () => {
    const loaded = await loadDirectly('Imported', 'imported')
    expect(loaded.bad_count).toBe(3)
    const words = ['data', 'import', 'roads.csv', '--into', 'imported', '--sync-key', 'name']
    const options = ['--skip-errors', '--keep-fields']
    const told = await run(...words, ...options)
    expect(told.out).toContain(', 3 invalid skipped')
    expect(told.out).toContain(listed[1])
    expect(eventsOf((await run(...words, ...options, '--json')).out).at(-1)).toMatchObject({
      skipped: { bad_count: 3, bad },
    })
  })

  it('are skipped while the fields of a layer are kept and one is converted', async () => {
    const file = await write('kept', { lanes: 'STRING' })
    expect((await run('apply', file, '--yes')).exit).toBe(0)
    await write('kept', { data: 'skip_errors: true, keep_fields: true, allow_loss: true' })
    const applied = await run('apply', file, '--yes', '--overwrite-data', 'kept')
    expect(applied.exit).toBe(0)
    expect(applied.out).toContain('kept: 2 features loaded (4 before), 3 invalid skipped')
    expect((await run('plan', file)).out).toContain('0 changes')
  })
})

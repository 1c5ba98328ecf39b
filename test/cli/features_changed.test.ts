import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { uploadContent } from '../support/samples.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

describe.each(oneDriver)('descriptions and attachments of features on %s', (driver) => {
  let server: TestServer
  let cwd: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    cwd = await mkdtemp(join(tmpdir(), 'landform-features-'))
    await mkdir(join(cwd, 'photos'))
    for (const name of ['a.jpg', 'b.jpg']) await writeFile(join(cwd, 'photos', name), name)
  })
  afterAll(async () => {
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })

  const runAnswering = (answer: (() => Promise<string>) | undefined, ...words: readonly string[]) => {
    const env = administratorEnv(server.url)
    return runCommand(words, { cwd, env, ...(answer === undefined ? {} : { answer }) })
  }
  const run = (...words: readonly string[]) => runAnswering(undefined, ...words)

  const writePlaces = (codes: readonly string[], field = 'code') => {
    const features = codes.map((code, at) => ({
      type: 'Feature',
      properties: { [field]: code },
      geometry: { type: 'Point', coordinates: [10 + at, 60] },
    }))
    return writeFile(join(cwd, 'places.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
  }

  const write = (key: string, more: object) => {
    const layer = { cls: 'vector_layer', parent: 'root', display_name: key, ...more }
    const resources = { root: { existing: true, id: 0 }, [key]: layer }
    return writeFile(join(cwd, 'm.yaml'), JSON.stringify({ manifest: key, resources }, undefined, 1))
  }
  const apply = async (...more: readonly string[]) => {
    const applied = await run('apply', 'm.yaml', '--yes', ...more)
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
    expect((await run('plan', 'm.yaml')).out).toContain('0 changes')
  }
  const idOf = async (key: string) => {
    const found = await (await server.admin('GET', `/api/resource/search/?keyname=${key}`)).json<
      { resource: { id: number } }[]
    >()
    return found[0]?.resource.id ?? 0
  }
  const read = async (key: string) => {
    const path = `/api/resource/${await idOf(key)}/feature_extensions?key=code`
    const all = await (await server.admin('GET', path)).json<
      { key: string; description: string | null; attachments: { name: string }[] }[]
    >()
    return all.map((one) => [one.key, one.description, one.attachments.map(({ name }) => name)])
  }
  const attach = async (key: string, feature: number, name: string) => {
    const { id } = await uploadContent(server.admin, name)
    const path = `/api/resource/${await idOf(key)}/feature/${feature}/attachment/`
    expect((await server.admin('POST', path, { name, file_upload: { id } })).status).toBe(200)
  }

  test.each([[[]], [['--no-atomic']]])(
    'that others add between plan and apply stop the apply, by name: %j',
    async (more) => {
      const key = more.length === 0 ? 'raced' : 'raced_stepwise'
      await writePlaces(['NO', 'SE', 'DK'])
      const data = { source: 'places.geojson' }
      const descriptions = { SE: 'Lakes.' }
      await write(key, {
        data,
        features: { key: 'code', descriptions, attachments: { NO: ['photos/a.jpg'] } },
      })
      await apply()
      const wanted = { key: 'code', descriptions, attachments: { NO: ['photos/*.jpg'] } }
      await write(key, { data, features: wanted })
      const meanwhile = async () => {
        await attach(key, 1, 'by_hand.jpg')
        return 'yes'
      }
      const refused = await runAnswering(meanwhile, 'apply', 'm.yaml', ...more)
      expect(refused.exit).toBe(1)
      expect(refused.err + refused.out).toContain(
        `Descriptions or attachments of features of "${key}" were changed on the server since the plan was made: NO.`,
      )
      expect(await read(key)).toEqual([
        ['NO', null, ['a.jpg', 'by_hand.jpg']],
        ['SE', 'Lakes.', []],
      ])
      expect((await run('plan', 'm.yaml')).out).toContain('attachment of NO  - by_hand.jpg')
      await apply()
      expect(await read(key)).toEqual([
        ['NO', null, ['a.jpg', 'b.jpg']],
        ['SE', 'Lakes.', []],
      ])
    },
  )

  test.each(['none', 'sync'])(
    'that others write do not count as edits of the data, with mode %s',
    async (mode) => {
      await writePlaces(['NO', 'SE', 'DK'])
      const key = `described_${mode}`
      await write(key, {
        data: { source: 'places.geojson', ...(mode === 'none' ? {} : { mode, key: 'code' }) },
      })
      await apply()
      const path = `/api/resource/${await idOf(key)}/feature/`
      const extensions = { description: 'By hand.' }
      expect((await server.admin('PUT', `${path}1`, { extensions })).status).toBe(200)
      expect((await server.admin('PATCH', path, [{ id: 2, extensions }])).status).toBe(200)
      await attach(key, 3, 'by_hand.jpg')
      expect((await run('plan', 'm.yaml')).out).toContain('0 changes')
      expect(await read(key)).toHaveLength(3)
    },
  )

  test('that others edit have changed on the server, and are pulled', async () => {
    await writePlaces(['NO', 'SE', 'DK'])
    const data = { source: 'places.geojson', mode: 'seed' }
    const features = {
      key: 'code',
      descriptions: { NO: 'Fjords.', SE: 'Lakes.' },
      attachments: { NO: ['photos/a.jpg'] },
    }
    await write('edited', { data, features })
    await apply()
    const path = `/api/resource/${await idOf('edited')}/feature/1`
    const extensions = { description: 'By hand.' }
    expect((await server.admin('PUT', path, { extensions })).status).toBe(200)
    await attach('edited', 2, 'by_hand.jpg')
    const drift = await run('drift', 'm.yaml')
    expect(drift.out).toMatch(/server {4}features\.descriptions\.NO/)
    expect(drift.out).toMatch(/server {4}features\.attachments\.SE\.by_hand\.jpg/)
    const pulled = await run('pull', 'm.yaml')
    expect(pulled.out).toMatch(/^-.*"NO": "Fjords\."/m)
    expect(pulled.out).toMatch(/^\+.*"NO": "By hand\."/m)
    expect(pulled.err).toContain('"edited": an attachment of feature SE changed on the server')
    expect(pulled.err).toContain('1 value of 1 file changed. 1 change of the server is not written.')

    const [SE, NO] = ['Many lakes.', 'By hand.']
    await write('edited', { data, features: { ...features, descriptions: { NO: 'Fjords.', SE } } })
    expect((await run('drift', 'm.yaml')).out).toMatch(/both {6}features\.descriptions\.SE/)
    await write('edited', { data, features: { ...features, descriptions: { NO, SE: 'Lakes.' } } })
    await apply()
    await write('edited', { data, features: { ...features, descriptions: { NO, SE } } })
    expect((await run('drift', 'm.yaml')).out).toMatch(/manifest {2}features\.descriptions\.SE/)
  })

  test('that others change before a load stop it, also with a saved plan', async () => {
    await writePlaces(['NO', 'SE', 'DK'])
    const data = { source: 'places.geojson' }
    const features = { key: 'code', attachments: { NO: ['photos/a.jpg'], SE: ['photos/b.jpg'] } }
    await write('loaded', { data, features })
    await apply()
    await writePlaces(['NO', 'SE', 'FI'])
    const meanwhile = async () => {
      await attach('loaded', 2, 'by_hand.jpg')
      return 'yes'
    }
    const refused = await runAnswering(meanwhile, 'apply', 'm.yaml')
    expect(refused.err + refused.out).toContain('since the plan was made: SE.')
    expect((await run('plan', 'm.yaml', '--out', 'saved.plan')).out).toContain(
      'attachment of SE  - by_hand.jpg',
    )
    await attach('loaded', 3, 'late.jpg')
    const stale = await run('apply', '--plan', 'saved.plan')
    expect(stale.exit).toBe(1)
    expect(stale.err).toContain(
      'error apply/stale: descriptions or attachments of features of "loaded" were changed on the server since the plan was saved',
    )
    expect((await read('loaded')).map(([key]) => key)).toEqual(['NO', 'SE', 'DK'])
  })

  test.each([
    ['sync', []],
    ['sync', ['--no-atomic']],
    ['replace', []],
  ] as const)(
    'that others add to features that a load deletes stop it, by name, without features: %s %j',
    async (mode, more) => {
      await writePlaces(['NO', 'SE', 'DK'])
      const key = ['taken', mode, ...more].join('_').replaceAll('-', '')
      const by = mode === 'sync' ? { key: 'code' } : {}
      await write(key, { data: { source: 'places.geojson', mode, ...by, allow_loss: true } })
      await apply()
      await attach(key, 3, 'first.jpg')
      await writePlaces(['NO', 'SE'])
      expect((await run('plan', 'm.yaml', '--out', `${key}.plan`)).out).toContain('1 attachment')
      const meanwhile = async () => {
        await attach(key, 3, 'second.jpg')
        return 'yes'
      }
      const refused = await runAnswering(meanwhile, 'apply', 'm.yaml', ...more)
      expect(refused.exit).toBe(1)
      expect(refused.err + refused.out).toContain(
        `Descriptions or attachments of features of "${key}" were changed on the server since the plan was made: #3.`,
      )
      expect(await read(key)).toEqual([['DK', null, ['first.jpg', 'second.jpg']]])
      const saved = await run('apply', '--plan', `${key}.plan`)
      expect([saved.exit, saved.err]).toEqual([
        1,
        expect.stringContaining(`descriptions or attachments of features of "${key}" were changed`),
      ])
      expect((await run('plan', 'm.yaml')).out).toContain('2 attachments')
      await apply(...more)
      expect(await read(key)).toEqual([])
    },
  )

  test('that a load would delete without features: are found by the plan', async () => {
    await writePlaces(['NO', 'SE', 'DK'])
    const data = { source: 'places.geojson' }
    const features = { key: 'code', descriptions: { SE: 'Lakes.' }, attachments: { NO: ['photos/*.jpg'] } }
    await write('lost', { data, features })
    await apply()
    await write('lost', { data })
    const planned = await run('plan', 'm.yaml')
    expect(planned.err).toContain('"lost" still has 2 attachments that this manifest has set')
    await writePlaces(['NO', 'SE', 'FI'])
    const refused = await run('plan', 'm.yaml')
    expect(refused.exit).toBe(1)
    expect(refused.err).toContain(
      'm.yaml:12:12 error data/loss: "lost" would lose data: 2 attachments, 1 feature description',
    )
    // A block that manages only one of them loses the other.
    await write('lost', { data, features: { key: 'code', descriptions: { SE: 'Lakes.' } } })
    expect((await run('plan', 'm.yaml')).err).toContain('"lost" would lose data: 2 attachments')
    await apply('--allow-loss', 'lost')
    expect(await read('lost')).toEqual([['SE', 'Lakes.', []]])
  })

  test('need their key among the fields of the layer, which the plan checks', async () => {
    await writePlaces(['NO'])
    const data = { source: 'places.geojson' }
    const features = (key: string) => ({ key, descriptions: { NO: 'Coast.' } })
    await write('keyed', { data, features: features('cod') })
    const error = 'error data/key: "keyed" has no field "cod", whose values would identify its features'
    const created = await run('plan', 'm.yaml')
    expect([created.exit, created.err]).toEqual([3, expect.stringContaining(error)])
    expect(created.err).toContain(`m.yaml:16:12 ${error}`)
    expect(created.err).toContain('hint: did you mean "code"?')
    await write('keyed', { data, features: features('code') })
    await apply()
    await write('keyed', { data, features: features('cod') })
    expect((await run('plan', 'm.yaml')).err).toContain(error)
    // The source loses the field.
    await write('keyed', { data, features: features('code') })
    await writePlaces(['NO'], 'sign')
    expect((await run('plan', 'm.yaml', '--allow-loss', 'keyed')).err).toContain(
      '"keyed" has no field "code"',
    )
    const structure = { vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } } }
    await write('bare', { ...structure, features: { key: 'code', descriptions: {} } })
    expect((await run('plan', 'm.yaml')).err).toContain('"bare" has no field "code"')
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { uploadContent } from '../support/samples.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const fields = [{ keyname: 'code', datatype: 'STRING' }]

const codes = Array.from({ length: 30 }, (_, at) => `c${at + 1}`)

describe.each(oneDriver)(
  'features with attachments and descriptions whose rows are gone, on %s',
  (driver) => {
    let server: TestServer
    let cwd: string
    beforeAll(async () => {
      server = await startTestServer(driver)
      cwd = await mkdtemp(join(tmpdir(), 'landform-sync-losses-'))
    })
    afterAll(async () => {
      await server.stop()
      await rm(cwd, { recursive: true, force: true })
    })

    const run = (...words: readonly string[]) => runCommand(words, { cwd, env: administratorEnv(server.url) })

    const writeRows = (key: string, without: readonly string[] = []) => {
      const rows = codes.flatMap((code, at) => (without.includes(code) ? [] : [`${code},${at},50\n`]))
      return writeFile(join(cwd, `${key}.csv`), `code,longitude,latitude\n${rows.join('')}`)
    }

    const write = (key: string, more: object = {}) => {
      const data = { source: `${key}.csv`, mode: 'sync', key: 'code' }
      const layer = { cls: 'vector_layer', parent: 'root', display_name: key, data, ...more }
      const resources = { root: { existing: true, id: 0 }, [key]: layer }
      return writeFile(join(cwd, `${key}.yaml`), JSON.stringify({ manifest: key, resources }))
    }

    /** Loads a layer, and gives its ninth feature a description and an attachment by hand. */
    async function prepare(key: string, more: object = {}): Promise<number> {
      await writeRows(key)
      await write(key, more)
      const applied = await run('apply', `${key}.yaml`, '--yes')
      expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
      const found = await (await server.admin('GET', `/api/resource/search/?keyname=${key}`)).json<
        { resource: { id: number } }[]
      >()
      const id = found[0]?.resource.id ?? 0
      const path = `/api/resource/${id}/feature/9`
      const upload = await uploadContent(server.admin, 'photo')
      const attached = await server.admin('POST', `${path}/attachment/`, {
        name: 'photo.jpg',
        file_upload: { id: upload.id },
      })
      const described = await server.admin('PUT', path, { extensions: { description: 'By hand.' } })
      expect([attached.status, described.status]).toEqual([200, 200])
      expect((await run('plan', `${key}.yaml`)).out).toContain('0 changes')
      await writeRows(key, ['c9'])
      return id
    }

    const countOf = async (id: number) =>
      (await (await server.admin('GET', `/api/resource/${id}/feature_count`)).json<{ total_count: number }>())
        .total_count

    const loss = '1 of 30 features, 1 attachment, 1 feature description'

    it('are not deleted by an apply until that is allowed; plan and report tell what goes', async () => {
      const id = await prepare('applied')
      const refused = await run('apply', 'applied.yaml', '--yes')
      expect(refused.exit).toBe(1)
      expect(refused.err).toContain(`data/loss: "applied" would lose data: ${loss}`)
      expect(refused.out + refused.err).toContain(`loses data: ${loss}`)
      expect(await countOf(id)).toBe(30)
      const planned = await run('plan', 'applied.yaml', '--json')
      expect(planned.out).toContain('"removed":1,"removed_attachments":1,"removed_descriptions":1')
      const done = await run('apply', 'applied.yaml', '--yes', '--allow-loss', 'applied')
      expect(done.exit, done.err).toBe(0)
      expect(done.out + done.err).toContain(
        'applied: 1 feature removed with 1 attachment and 1 description, 29 unchanged',
      )
      expect(await countOf(id)).toBe(29)
    })

    it('are not deleted by an import until that is allowed', async () => {
      const id = await prepare('imported')
      const words = ['data', 'import', 'imported.csv', '--into', 'imported', '--sync-key', 'code', '--take']
      const refused = await run(...words)
      expect([refused.exit, refused.err]).toEqual([4, expect.stringContaining(`would lose data: ${loss}`)])
      expect(await countOf(id)).toBe(30)
      const done = await run(...words, '--allow-loss')
      expect(done.exit, done.err).toBe(0)
      expect(done.out).toContain('1 feature removed with 1 attachment and 1 description, 29 unchanged')
    })

    it('are kept if their rows are skipped, while others are removed, by apply and import', async () => {
      const id = await prepare('skipped', { feature_layer: { fields } })
      const data = { source: 'skipped.csv', mode: 'sync', key: 'code', skip_errors: true }
      await write('skipped', { data, feature_layer: { fields } })
      const writeBad = (more = '') => {
        const rows = codes.slice(1).map((code, at) => `${code},${code === 'c9' ? 'oops' : at + 1},50\n`)
        return writeFile(join(cwd, 'skipped.csv'), `code,longitude,latitude\n${rows.join('')}${more}`)
      }
      await writeBad()
      const counts = '1 feature removed, 1 feature kept whose row is bad, 28 unchanged'
      expect((await run('plan', 'skipped.yaml')).out).toContain(counts)
      await writeBad(',oops,50\n')
      const unread = '2 features kept, since the key of 1 bad row is unknown, 28 unchanged'
      const applied = await run('apply', 'skipped.yaml', '--yes')
      expect([applied.exit, applied.out]).toEqual([0, expect.stringContaining(unread)])
      expect(await countOf(id)).toBe(30)
      expect((await run('plan', 'skipped.yaml')).out).toContain('0 changes')
      const words = ['data', 'import', 'skipped.csv', '--into', 'skipped', '--sync-key', 'code', '--take']
      expect((await run(...words, '--skip-errors')).out).toContain(unread)
      await writeBad()
      const imported = await run(...words, '--skip-errors')
      expect([imported.exit, imported.out]).toEqual([0, expect.stringContaining(counts)])
      expect(await countOf(id)).toBe(29)
    })

    it('are deleted if the manifest manages both and no longer lists them', async () => {
      const features = {
        key: 'code',
        descriptions: Object.fromEntries(codes.map((code) => [code, `About ${code}.`])),
      }
      await writeRows('managed')
      await write('managed', { features })
      expect((await run('apply', 'managed.yaml', '--yes')).exit).toBe(0)
      const { c9: _, ...descriptions } = features.descriptions
      await writeRows('managed', ['c9'])
      await write('managed', { features: { key: 'code', descriptions } })
      const done = await run('apply', 'managed.yaml', '--yes')
      expect([done.exit, done.err]).toEqual([0, expect.not.stringContaining('data/loss')])
      expect((await run('plan', 'managed.yaml')).out).toContain('0 changes')
    })
  },
)

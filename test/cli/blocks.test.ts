import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const rule = '{ action: allow, principal: guest, scope: resource, permission: read, propagate: true }'

const full = `        description: Roads of the city
        owner: administrator
        resmeta: { year: 2021 }
        permissions:
          - ${rule}
`
const map = `            webmap:
              root_item: { item_type: root, children: [] }
`
const basemaps = `            basemap_webmap: { basemaps: [] }
`

/** A manifest with a group and a web map, with or without their optional blocks. */
const manifestOf = (blocks: string, more: string) => `manifest: city
resources:
  root:
    existing: true
    id: 0
    children:
      city:
        cls: resource_group
        display_name: City
${blocks}        children:
          city_map:
            cls: webmap
            display_name: Map
${more}`

describe.each(oneDriver)('blocks of a manifest on %s', (driver) => {
  let server: TestServer
  let cwd: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    cwd = await mkdtemp(join(tmpdir(), 'landform-blocks-'))
  })
  afterAll(async () => {
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })

  const run = (...words: readonly string[]) => {
    const env = administratorEnv(server.url)
    return runCommand(words, { cwd, env })
  }
  const apply = async (text: string, ...words: readonly string[]) => {
    await writeFile(join(cwd, 'city.yaml'), text)
    const applied = await run('apply', 'city.yaml', '--yes', ...words)
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
    expect((await run('plan', 'city.yaml')).out).toContain('0 changes')
    return applied.out
  }

  test('that are removed are reset, what others set stays, and the next plan is empty', async () => {
    await apply(manifestOf(full, map + basemaps))
    const shown = await apply(manifestOf('', ''))
    expect(shown).toContain('description  "Roads of the city" → null')
    expect(shown).toContain('resmeta.year  - 2021')
    expect(shown).toContain('permissions  - allow user:guest resource.read, and below')
    expect(shown).toContain(
      'owner  no longer set by this manifest; the value stays: to change it, set another owner',
    )
    const [city] = await (
      await server.admin('GET', '/api/resource/search/?keyname=city&serialization=full')
    ).json<{ resource: { id: number; description: unknown; permissions: unknown } }[]>()
    expect(city?.resource).toMatchObject({ description: null, permissions: [] })
    const change = { resource: { description: 'By hand' } }
    expect((await server.admin('PUT', `/api/resource/${city?.resource.id}`, change)).status).toBe(200)
    expect((await run('plan', 'city.yaml')).out).toContain('0 changes')
  })

  test('that another manifest sets too are refused, unless they are taken', async () => {
    await apply(manifestOf(full, map))
    const other = 'manifest: other\nresources:\n  city: { existing: true, description: Other }\n'
    await writeFile(join(cwd, 'other.yaml'), other)
    const refused = await run('apply', 'other.yaml', '--yes')
    expect([refused.exit, refused.err]).toEqual([
      1,
      expect.stringContaining('the manifest "city" sets description of "city" too'),
    ])
    expect((await run('apply', 'other.yaml', '--yes', '--take', 'city')).exit).toBe(0)
    const taken = await run('plan', 'city.yaml')
    expect(taken.out).toContain('description  "Other" → "Roads of the city"')
    expect(taken.err).toContain('the manifest "other" sets description of "city" too')
    await apply(manifestOf(full, map), '--take', 'city')
  })

  test('of a resource that others manage are reset by field, and what others set or changed stays', async () => {
    const guests = (permission: string) => rule.replace('permission: read', `permission: ${permission}`)
    const root = (more: string) =>
      `manifest: top\nresources:\n  root:\n    existing: true\n    id: 0\n${more}`
    const rules = (...list: readonly string[]) =>
      `    permissions:\n      include:\n${list.map((one) => `        - ${one}\n`).join('')}`
    const there = async () => {
      const { resource, resmeta } = await (await server.admin('GET', '/api/resource/0')).json<{
        resource: { description: unknown; permissions: { permission: string }[] }
        resmeta: { items: Record<string, unknown> }
      }>()
      const words = resource.permissions.map(({ permission }) => permission)
      return [resource.description, words.sort(), Object.keys(resmeta.items)]
    }
    const both = rules(guests('read'), guests('update'))
    await apply(root(`    description: Top\n    resmeta: { ours: 1 }\n${both}`))
    expect(await there()).toEqual(['Top', ['', 'read', 'update'], ['landform.fields.top', 'ours']])
    const shown = await apply(root(`    resmeta: { ours: 1 }\n${rules(guests('read'))}`))
    expect(shown).toContain('permissions  - allow user:guest resource.update, and below')
    expect(shown).toContain('description  "Top" → null')
    expect(await there()).toEqual([null, ['', 'read'], ['landform.fields.top', 'ours']])
    const change = { resmeta: { items: { ours: 2 } } }
    expect((await server.admin('PUT', '/api/resource/0', change)).status).toBe(200)
    await writeFile(join(cwd, 'city.yaml'), 'manifest: top\nresources:\n  city: { existing: true }\n')
    const left = await run('plan', 'city.yaml', '--exit-code')
    expect([left.exit, left.err]).toEqual([2, expect.stringContaining('plan/left-behind')])
    const pruned = await run('apply', 'city.yaml', '--prune', '--yes')
    expect(pruned.out).toContain('resmeta  no longer set by this manifest; the value stays: it was changed')
    expect(await there()).toEqual([null, [''], ['ours']])
    expect((await run('plan', 'city.yaml', '--exit-code')).exit).toBe(0)
  })

  test.each(['--allow-delete', '--allow-loss', '--replace', '--overwrite-data', '--send-secrets', '--take'])(
    '%s with a key that does not exist is refused',
    async (option) => {
      await apply(manifestOf(full, map))
      const refused = await run('plan', 'city.yaml', option, 'city_mp')
      expect([refused.exit, refused.err]).toEqual([
        3,
        expect.stringContaining(`${option}: there is no resource with the key "city_mp"`),
      ])
      expect(refused.err).toContain('city_map')
    },
  )
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCatalog, createSample, iconImage } from '../support/catalog.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

let cwd: string

const keyed = { type: 'geojson', keyname: 'keyed' }

const write = (name: string, text: string | Uint8Array) => writeFile(join(cwd, name), text)
const read = (name: string) => readFile(join(cwd, name), 'utf8')
const eventsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describeServer('the command line and the catalog', (start) => {
  let server: TestServer
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'landform-catalog-cli-'))
    server = await start()
    await createSample(server)
  })
  afterAll(() => rm(cwd, { recursive: true }))

  const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
    runCommand(words, {
      cwd,
      env: {
        LANDFORM_SERVER: server.url,
        LANDFORM_USER: 'administrator',
        LANDFORM_PASSWORD: adminPassword,
        ...env,
      },
    })
  const asGuest = (words: readonly string[]) =>
    runCommand(words, { cwd, env: { LANDFORM_SERVER: server.url, LANDFORM_TOKEN: '' } })

  describe('catalog search', () => {
    it('prints a table of the services that match, for everybody', async () => {
      const { out, err, exit } = await asGuest(['catalog', 'search', 'norway'])
      expect(out.split('\n').map((line) => line.replace(/^\d+ +/, ''))).toEqual([
        expect.stringMatching(/^ID +TYPE +EPSG +STATUS +NAME$/),
        'wms   4326  unchecked  Relief of Norway',
        '',
      ])
      expect([err, exit]).toEqual(['1 geoservice\n', 0])
    })

    it('filters by type, code, status and area, and counts all matches', async () => {
      const names = async (...words: string[]) => {
        const { out } = await run(['catalog', 'search', ...words, '--json'])
        return out === '' ? [] : eventsOf(out).map(({ geoservice }) => (geoservice as { name: string }).name)
      }
      expect(await names('--type', 'wfs', '--epsg', '3857')).toEqual(['Parks'])
      expect(await names('--status', 'works')).toEqual(['Roads'])
      expect(await names('--bbox', '10.5,50.5,12,52')).toEqual(['Roads'])
      expect(await names('--bbox', '170,-20,-170,-10')).toEqual([])
      expect((await run(['catalog', 'search', '--limit', '3'])).err).toBe('3 of 4 geoservices\n')
      expect((await run(['catalog', 'search', 'nothing'])).out).toBe('')
    })

    it('finds services that were never checked', async () => {
      const { out, err } = await run(['catalog', 'search', '--status', 'unchecked', '--limit', '1'])
      expect([out, err]).toEqual([expect.stringContaining('unchecked'), '1 of 2 geoservices\n'])
    })

    it('shows chosen columns: addresses for everybody, keys for editors', async () => {
      const columns = ['--columns', 'key,name,url']
      const rows = async (found: Promise<Ran>) =>
        (await found).out.split('\n').map((line) => line.split(/ {2,}/))
      const url = 'https://{switch:a,b,c}.tile.example.org/{z}/{x}/{y}.png'
      expect(await rows(asGuest(['catalog', 'search', 'roads', ...columns]))).toEqual([
        ['KEY', 'NAME', 'URL'],
        ['-', 'Roads', url],
        [''],
      ])
      await changeCatalog(server, [
        {
          op: 'create',
          kind: 'geoservice',
          body: { ...keyed, name: 'Keyed', url: 'https://example.org/keyed' },
        },
      ])
      expect((await rows(run(['catalog', 'search', 'keyed', ...columns])))[1]).toEqual([
        'keyed',
        'Keyed',
        'https://example.org/keyed',
      ])
      const [found] = eventsOf((await run(['catalog', 'search', 'keyed', '--json'])).out)
      expect(found?.geoservice).toMatchObject({ keyname: 'keyed', url: 'https://example.org/keyed' })
      const records = await server.admin('GET', '/api/component/catalog/')
      const { geoservices } = await records.json<{ geoservices: { id: number; name: string }[] }>()
      const id = geoservices.find(({ name }) => name === 'Keyed')?.id
      await changeCatalog(server, [{ op: 'delete', kind: 'geoservice', ...(id === undefined ? {} : { id }) }])
    })

    it.each([
      ['--bbox', '1,2,3'],
      ['--bbox', '10,95,11,96'],
      ['--limit', '0'],
      ['--columns', 'nmae'],
      ['--type', 'wmts'],
    ])('refuses %s %s', async (option, value) => {
      expect((await run(['catalog', 'search', option, value])).exit).toBe(3)
    })

    it('reports an address without a catalog', async () => {
      const { err, exit } = await run(['catalog', 'search', '--server', `${server.url}/elsewhere`])
      expect([exit, err]).toEqual([
        1,
        expect.stringMatching(/^error catalog\/absent: .*has no catalog of geoservices/),
      ])
    })
  })

  describe('catalog import', () => {
    const table = `name,type,url,epsg,z_max,layers,icon,desc
Aerial,tms,"https://tile.example.org/{z}/{x}/{y}",3857,18,,Pin,"From the air, 2025"
Roads,tms,"https://{switch:a,b,c}.tile.example.org/{z}/{x}/{y}.png",3857,17,,Pin,Streets and paths
Weather,wms,https://maps.example.org/weather,,,"rain,wind",,
`

    it('shows the changes first, and makes them in one request', async () => {
      await write('services.csv', table)
      const dry = await run(['catalog', 'import', 'services.csv', '--dry-run'])
      expect(dry.out).toContain('  + Aerial  geoservice  Aerial\n')
      expect(dry.out).toMatch(/ {2}~ Roads {2}geoservice {2}Roads\n {6}z_max {2}18 → 17\n/)
      expect(dry.out).toMatch(/services\.csv: 2 to create, 1 to update, 0 unchanged\n$/)
      const done = await run(['catalog', 'import', 'services.csv'])
      expect([done.exit, done.out]).toEqual([0, 'services.csv: 2 created, 1 updated, 0 unchanged\n'])
      const again = await run(['catalog', 'import', 'services.csv'])
      expect(again.out).toBe('services.csv: 0 created, 0 updated, 3 unchanged\n')
    })

    it('keeps members that the file does not have, as a spreadsheet writes it', async () => {
      await write('part.csv', '\ufeffName;EPSG;z_max;desc\r\nAerial;3395;null;\r\n')
      expect((await run(['catalog', 'import', 'part.csv'])).out).toBe(
        'part.csv (separated by semicolons): 0 created, 1 updated, 0 unchanged, 1 value cleared\n',
      )
      const [found] = eventsOf((await run(['catalog', 'search', 'aerial', '--json'])).out)
      expect(found?.geoservice).toMatchObject({ epsg: 3395, desc: 'From the air, 2025' })
    })

    it('reports all faults with their positions, and imports nothing', async () => {
      await write('bad.csv', 'name,type,url,z_min\nX,tms,https://example.org/{z},0\nY,wms,x,3\n')
      const { exit, err } = await run(['catalog', 'import', 'bad.csv'])
      expect(exit).toBe(3)
      expect(err).toMatch(/bad\.csv:2:7 error catalog\/invalid: url: the address of tiles lacks/)
      expect(err).toMatch(/bad\.csv:3:7 error catalog\/invalid: url: "x" is not an http or https URL/)
      expect(err).toMatch(/bad\.csv:3:9 error catalog\/invalid: z_min: unknown field "z_min"/)
      expect(err).toMatch(/error catalog\/invalid: bad\.csv has 3 errors; nothing was imported\.\n$/)
      expect((await run(['catalog', 'search', 'x'])).out).not.toContain(' X')
    })

    it('takes what the API serves, and marks the records with a manifest', async () => {
      const answer = await server.guest('GET', '/api/v1/geoservices/')
      const items = await answer.json<{ id: number }[]>()
      const details = await Promise.all(
        items.map(async ({ id }) => (await server.guest('GET', `/api/v1/geoservices/${id}/`)).json()),
      )
      await write('served.json', JSON.stringify(details))
      const same = await run(['catalog', 'import', 'served.json'])
      expect(same.out).toContain('0 created')
      const marked = await run(['catalog', 'import', 'served.json', '--manifest', 'served', '--json'])
      expect(eventsOf(marked.out).at(-1)).toMatchObject({
        type: 'report',
        adopted: items.length,
        atomic: true,
      })
      await write('other.csv', 'name,epsg\nAerial,4326\n')
      const refused = await run(['catalog', 'import', 'other.csv', '--manifest', 'other'])
      expect(refused.err).toContain('"Aerial" is managed by the manifest "served"')
      expect((await run(['catalog', 'import', 'other.csv', '--manifest', 'served'])).exit).toBe(0)
    })

    it('reports a record that the server refuses', async () => {
      await write(
        'crossing.ndjson',
        '{"name": "Crossing", "type": "geojson", "url": "https://example.org", "boundary": "POLYGON((0 0,1 1,1 0,0 1,0 0))"}\n',
      )
      const { exit, err } = await run(['catalog', 'import', 'crossing.ndjson'])
      expect([exit, err]).toEqual([1, expect.stringMatching(/Crossing.*boundary: Self-intersection/)])
    })

    it('is for editors', async () => {
      const { exit, err } = await asGuest(['catalog', 'import', 'part.csv'])
      expect([exit, err]).toEqual([1, expect.stringMatching(/error access\/denied: .*\n {2}hint: Log in/)])
    })

    it.each([
      ['missing.csv', 3],
      ['.', 3],
    ])('refuses the file %s', async (file, exit) => {
      expect((await run(['catalog', 'import', file])).exit).toBe(exit)
    })
  })

  describe('pull', () => {
    it('writes the catalog as a manifest whose plan only adopts', async () => {
      const pulled = await run(['pull', '--catalog', '--into', 'pulled', '--manifest', 'served'])
      expect([pulled.err, pulled.out]).toEqual(['', 'pulled/served.yaml: 1 icon, 6 geoservices\n'])
      const text = await read('pulled/served.yaml')
      expect(text).toMatch(/^manifest: served\n\nicons:\n {2}pin:\n {4}name: Pin\n/)
      expect(text).toContain('image: icons/pin.svg\n')
      expect(text).toContain('  relief_of_norway:\n    type: wms\n    name: Relief of Norway\n')
      expect(text).not.toContain('null')
      expect(Buffer.from(await read('pulled/icons/pin.svg')).toString('base64')).toBe(iconImage())
      const plan = await run(['plan', 'pulled', '--json'])
      const changes = eventsOf(plan.out).filter(({ type }) => type === 'change')
      expect(changes.flatMap(({ edits }) => edits)).toEqual(
        changes.map(({ key }) => ({ pointer: '/keyname', from: null, to: key })),
      )
      expect((await run(['apply', 'pulled', '--yes'])).exit).toBe(0)
      expect((await run(['plan', 'pulled'])).out).toBe('Plan for served: 0 changes, 7 unchanged.\n')
    })

    it('writes the records of one manifest, and what others manage with a warning', async () => {
      await write(
        'more.yaml',
        'manifest: more\ngeoservices:\n  more: { type: geojson, name: More, url: "https://example.org/more.json" }\n',
      )
      await run(['apply', 'more.yaml', '--yes'])
      const own = await run(['pull', '--of', 'more', '--into', 'own', '--json'])
      expect(eventsOf(own.out)).toEqual([
        { v: 1, type: 'pulled', manifest: 'more', file: 'own/more.yaml', icons: 0, geoservices: 1 },
      ])
      expect((await run(['plan', 'own'])).out).toContain('0 changes, 1 unchanged')
      await write('iconic.ndjson', '{"name": "More", "icon": "Pin"}')
      await run(['catalog', 'import', 'iconic.ndjson', '--manifest', 'more'])
      await run(['pull', '--of', 'more', '--into', 'own', '--force'])
      expect(await read('own/more.yaml')).toMatch(/ icon:\s+\{? ?guid: [0-9a-f]{8}-/)
      expect((await run(['plan', 'own'])).out).toContain('0 changes, 1 unchanged')
      await write('plain.ndjson', '{"name": "More", "icon": null}')
      const plain = await run(['catalog', 'import', 'plain.ndjson', '--manifest', 'more'])
      expect(plain.out).toContain('1 value cleared')
      const shown = await run(['plan', 'own'])
      expect(shown.out).toMatch(/icon {2}null → Pin \(id \d+\)/)
      const all = await run(['pull', '--catalog', '--into', 'everything'])
      expect(all.err).toContain('7 pulled records are managed by the manifest "served"')
    })

    it('keeps existing files, and refuses to pull nothing', async () => {
      const again = await run(['pull', '--of', 'more', '--into', 'own'])
      expect(again.err).toContain('own/more.yaml already exists')
      expect((await run(['pull', '--of', 'more', '--into', 'own', '--force'])).exit).toBe(0)
      expect((await run(['pull', '--of', 'unknown', '--into', 'none'])).err).toContain('plan/missing')
      expect((await run(['pull', '--into', 'none'])).exit).toBe(3)
    })

    it('writes resources and records into one manifest', async () => {
      await write(
        'tree.yaml',
        'manifest: more\nresources:\n  root:\n    existing: true\n    id: 0\n    children:\n      box: { cls: resource_group, display_name: Box }\n',
      )
      await run(['apply', 'tree.yaml', '--yes'])
      const both = await run([
        'pull',
        '--root',
        'box',
        '--of',
        'more',
        '--manifest',
        'more',
        '--into',
        'both',
      ])
      expect(both.out).toBe('both/more.yaml: 1 resource, 0 icons, 1 geoservice\n')
      expect((await run(['plan', 'both'])).out).toBe('Plan for more: 0 changes, 3 unchanged.\n')
    })
  })

  describe('plan and apply', () => {
    it('show changes of records from and to, and delete only what is named', async () => {
      const image = Buffer.from(iconImage('#123'), 'base64')
      await write('mark.svg', image)
      const service = (key: string, more: string) =>
        `  ${key}: { type: tms, name: ${key}, url: "https://example.org/{z}/{x}/{y}", ${more} }\n`
      const head = 'manifest: shown\nicons:\n  mark: { name: Mark, image: mark.svg }\ngeoservices:\n'
      await write(
        'shown.yaml',
        `${head}${service('one', 'icon: mark, z_max: 9')}${service('two', 'epsg: 3857')}`,
      )
      const created = await run(['apply', 'shown.yaml', '--yes'])
      expect(created.out).toContain(
        '  + mark  icon  Mark\n      name  "Mark"\n      image  "mark.svg"\n  + one  geoservice  one\n',
      )
      expect(created.out).toMatch(/Done in .*: 3 created\.\n$/)
      await write('shown.yaml', `${head}${service('one', 'icon: mark, z_max: 10, boundary: [1, 2, 3, 4]')}`)
      const plan = await run(['plan', 'shown.yaml', '--prune'])
      expect(plan.out).toMatch(
        /^Manifest .*\n {2}~ one {2}geoservice {2}one\n {6}boundary {2}null → "SRID=4326;/,
      )
      expect(plan.out).toContain('      z_max  9 → 10\n')
      expect(plan.out).toContain('  - two  geoservice  two\n')
      expect(plan.out).toContain('1 to update, 1 to delete, 1 unchanged. It cannot be applied: 1 error.')
      expect(plan.err).toContain('the plan would delete 1 of 3 records of this manifest, more than 10 %')
      const done = await run(['apply', 'shown.yaml', '--prune', '--allow-delete', 'two', '--yes', '--json'])
      expect(eventsOf(done.out).at(-1)).toMatchObject({
        type: 'report',
        updated: 1,
        deleted: 1,
        atomic: true,
      })
      expect((await run(['plan', 'shown.yaml', '--exit-code'])).exit).toBe(0)
    })
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand, type Surroundings } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('pglite')
  cwd = await mkdtemp(join(tmpdir(), 'landform-cli-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const manifest = (id: string, more = '') => `manifest: ${id}
resources:
  root:
    existing: true
    id: 0
    children:
      ${id}:
        cls: resource_group
        display_name: ${id}
${more}`

const layers = (id: string) => `        children:
          ${id}_layer:
            cls: vector_layer
            display_name: Places
            data: { source: places.geojson }
            children:
              ${id}_style:
                cls: mapsrv_style
                display_name: Dots
                mapsrv_style:
                  xml: <map><layer><class><style><color red="1" green="2" blue="3"/></style></class></layer></map>
`

const places = (names: readonly string[]) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: names.map((name, at) => ({
      type: 'Feature',
      properties: { name },
      geometry: { type: 'Point', coordinates: [at, at] },
    })),
  })

async function run(words: readonly string[], more: Partial<Surroundings> = {}): Promise<Ran> {
  const env = {
    LANDFORM_SERVER: server.url,
    LANDFORM_USER: 'administrator',
    LANDFORM_PASSWORD: adminPassword,
    ...more.env,
  }
  return runCommand(words, { cwd, ...more, env })
}

async function idOf(keyname: string): Promise<number | undefined> {
  const found = await server.admin('GET', `/api/resource/search/?keyname=${keyname}`)
  return (await found.json<{ resource: { id: number } }[]>())[0]?.resource.id
}

const write = (name: string, text: string) => writeFile(join(cwd, name), text)
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('plan and apply', () => {
  it('create and load a layer, after which the plan is empty', async () => {
    await write('a.yaml', manifest('a', layers('a')))
    await write('places.geojson', places(['Here', 'There']))
    const plan = await run(['plan', 'a.yaml'])
    expect(plan.out).toContain('  + a_layer  vector_layer  Main resource group / a / Places')
    expect(plan.out).toContain('data  places.geojson (')
    expect(plan.out).toContain('Plan for a: 3 to create, 1 unchanged.')
    expect((await run(['plan', 'a.yaml', '--exit-code'])).exit).toBe(2)

    const applied = await run(['apply', 'a.yaml', '--yes'])
    expect([applied.exit, applied.err]).toEqual([
      0,
      'uploaded a_layer\ncreated  a\ncreated  a_layer\ncreated  a_style\n',
    ])
    expect(applied.out).toMatch(/Done in .*: 3 created\.\n {2}\w+: \d+ features? loaded\n$/)

    const again = await run(['plan', 'a.yaml', '--exit-code'])
    expect(again).toEqual({ exit: 0, out: 'Plan for a: 0 changes, 4 unchanged.\n', err: '' })
    expect((await run(['apply', 'a.yaml'])).exit).toBe(0)
  })

  it('find before an apply what cannot be loaded into a new layer', async () => {
    const [good] = JSON.parse(places(['Here'])).features as object[]
    const bad = { ...good, geometry: { type: 'Point', coordinates: ['x', 'y'] } }
    await write('broken.geojson', JSON.stringify({ type: 'FeatureCollection', features: [good, bad] }))
    await write('broken.yaml', manifest('broken', layers('broken').replace('places', 'broken')))
    const plan = await run(['plan', 'broken.yaml'])
    expect(plan.err).toMatch(
      /^broken\.yaml:14:\d+ error source\/\S+: the source of "broken_layer" cannot be loaded: /,
    )
    expect(plan.out).toContain('It cannot be applied: 1 error.')
    expect(await idOf('broken')).toBeUndefined()
  })

  it('plan against a capture without a server and credentials', async () => {
    const captured = await run(['capture', '--out', 'world.capture'])
    expect([captured.exit, captured.err]).toEqual([0, ''])
    expect(captured.out).toMatch(/^world\.capture: \d+ resources of http/)
    await write('b.yaml', manifest('a', layers('a')).replace('Places', 'All places'))
    const offline = { cwd, env: { LANDFORM_SERVER: 'http://127.0.0.1:1' } }
    const plan = await runCommand(['plan', 'b.yaml', '--from', 'world.capture', '--exit-code'], offline)
    expect([plan.exit, plan.out]).toEqual([2, (await run(['plan', 'b.yaml'])).out])
    expect(plan.err).toMatch(/^world\.capture: http\S+ as administrator, captured at .* UTC \(.* ago\)\n$/)
    for (const words of [
      ['--from', 'b.yaml'],
      ['--from', 'nowhere'],
      ['--from', 'world.capture', '--server', server.url],
    ]) {
      const refused = await runCommand(['plan', 'b.yaml', ...words], offline)
      expect([refused.exit, refused.out]).toEqual([3, ''])
    }
    expect((await run(['capture'])).exit).toBe(3)
    expect((await run(['capture', '--out', 'no/such/folder'])).exit).toBe(3)
  })

  it('load a changed file, show the fields that it changes, and overwrite edited features only with the option', async () => {
    await write('places.geojson', places(['Here', 'There', 'Everywhere']))
    expect((await run(['plan', 'a.yaml'])).out).toContain(
      'replaces 2 features with 3: the source has changed',
    )
    await write('wide.geojson', places(['1', '2', '3']).replaceAll(/"name":"(.)"/g, '"name":$1,"code":"x"'))
    await write('wide.yaml', manifest('a', layers('a')).replace('places.geojson', 'wide.geojson'))
    const wide = (await run(['plan', 'wide.yaml'])).out
    expect(wide).toContain('feature_layer.fields.name.datatype  "STRING" → "INTEGER"')
    expect(wide).toMatch(/feature_layer\.fields\.code {2}\+ .*STRING/)
    await run(['apply', 'a.yaml', '--yes'])
    const fields = 'feature_layer: { fields: [{ keyname: name, datatype: INTEGER }] }'
    await write('typed.yaml', manifest('a', layers('a')).replace('data:', `${fields}\n            data:`))
    const typed = await run(['plan', 'typed.yaml'])
    expect(typed.out).toContain('datatype  "STRING" → "INTEGER"  (3 values cannot be converted)')
    expect([typed.exit, typed.err]).toEqual([
      1,
      // At the datatype of the field.
      expect.stringMatching(
        /^typed\.yaml:\d+:6\d error .*: 3 values of the field "name" of "a_layer" cannot be converted from STRING to INTEGER/m,
      ),
    ])
    const id = await idOf('a_layer')
    const count = await server.admin('GET', `/api/resource/${id}/feature_count`)
    expect(await count.json()).toEqual({ total_count: 3 })
    await server.admin('DELETE', `/api/resource/${id}/feature/1`)
    const refused = await run(['apply', 'a.yaml', '--yes'])
    expect([refused.exit, refused.err]).toEqual([
      1,
      expect.stringMatching(
        /plan\/data-edited: the data of "a_layer" were edited on the server once since the last load \(feature 1\), last by administrator at [-0-9: ]+ UTC(.|\n)*--overwrite-data a_layer/,
      ),
    ])
    expect(refused.out).toContain(
      'overwrites data edited on the server once since the last load (feature 1), last by administrator at ',
    )
    await run(['apply', 'a.yaml', '--yes', '--overwrite-data', 'a_layer'])
    expect((await run(['plan', 'a.yaml'])).out).toBe('Plan for a: 0 changes, 4 unchanged.\n')
  })

  it('ask for confirmation, and accept only "yes"', async () => {
    await write('ask.yaml', manifest('ask'))
    const refused = await run(['apply', 'ask.yaml'])
    expect(refused.exit).toBe(3)
    expect(refused.err).toContain('hint: Review the plan, then run the command with --yes.')
    const no = await run(['apply', 'ask.yaml'], { answer: 'y' })
    expect([no.exit, no.err]).toEqual([1, expect.stringContaining('Nothing was changed.')])
    expect((await run(['plan', 'ask.yaml', '--exit-code'])).exit).toBe(2)
    expect((await run(['apply', 'ask.yaml'], { answer: 'yes' })).exit).toBe(0)
    expect((await run(['plan', 'ask.yaml', '--exit-code'])).exit).toBe(0)
  })

  it('delete removed resources with --prune, and refuse to delete features', async () => {
    await write('gone.yaml', manifest('gone', layers('gone')))
    await run(['apply', 'gone.yaml', '--yes'])
    await write('gone.yaml', manifest('gone'))
    const told = await run(['plan', 'gone.yaml'])
    expect([told.exit, told.err]).toEqual([0, expect.stringContaining('warning plan/orphan: "gone_layer"')])
    expect((await run(['plan', 'gone.yaml', '--exit-code'])).exit).toBe(2)
    const fused = await run(['apply', 'gone.yaml', '--prune', '--yes'])
    expect([fused.exit, fused.err]).toEqual([1, expect.stringContaining('would delete 3 features')])
    const meant = await run(['apply', 'gone.yaml', '--prune', '--allow-delete', 'gone_layer', '--yes'])
    expect([meant.exit, meant.out]).toEqual([
      0,
      expect.stringContaining('also deletes 1 resource below it and 3 features'),
    ])
    expect((await run(['plan', 'gone.yaml', '--prune'])).out).toBe('Plan for gone: 0 changes, 2 unchanged.\n')
  })

  it('keep the resource and its features when its key changes', async () => {
    await write('was.yaml', manifest('was', layers('was')))
    await run(['apply', 'was.yaml', '--yes'])
    const before = await idOf('was_layer')
    const renamed = manifest('was', layers('was').replace('was_layer:', 'was_places:'))
    await write('was.yaml', renamed)
    const looks = await run(['plan', 'was.yaml'])
    expect([looks.exit, looks.err]).toEqual([
      3,
      expect.stringContaining('hint: If it was renamed, add was: was_layer.'),
    ])
    await write('was.yaml', renamed.replace('was_places:', 'was_places:\n            was: was_layer'))
    expect((await run(['apply', 'was.yaml', '--yes'])).exit).toBe(0)
    expect(await idOf('was_places')).toBe(before)
    const done = await run(['plan', 'was.yaml'])
    expect([done.out, done.err]).toEqual([
      'Plan for was: 0 changes, 4 unchanged.\n',
      expect.stringContaining('warning plan/spent'),
    ])
  })

  it('replace only resources that are allowed, and repair the maps that show them', async () => {
    const text = (srs: number) =>
      manifest(
        'anew',
        `        children:
          anew_layer:
            cls: vector_layer
            display_name: Places
            vector_layer: { srs: { id: ${srs} }, geometry_type: POINT }
            children:
              anew_style: { cls: mapsrv_style, display_name: Dots }
          anew_map:
            cls: webmap
            display_name: Map
            webmap:
              root_item:
                item_type: root
                children: [{ item_type: layer, display_name: Dots, layer_style_id: anew_style }]
`,
      )
    await write('anew.yaml', text(3857))
    await run(['apply', 'anew.yaml', '--yes'])
    await write('anew.yaml', text(4326))
    const refused = await run(['apply', 'anew.yaml', '--yes'])
    expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining('--replace anew_layer')])
    const allowed = await run(['apply', 'anew.yaml', '--replace', 'anew_layer', '--yes'])
    expect(allowed.out).toMatch(/: 1 updated, 2 replaced\.\n$/)
    expect((await run(['plan', 'anew.yaml'])).out).toBe('Plan for anew: 0 changes, 5 unchanged.\n')
  })

  it('report failed and skipped changes, and how to resume', async () => {
    // The server refuses rules that lock out all administrators, which the plan does not know.
    const rule =
      '{ action: deny, principal: group:administrators, scope: "", permission: "", propagate: true }'
    const name = 'display_name: Places'
    const locked = layers('half').replace(name, `${name}\n            permissions: [${rule}]`)
    await write('half.yaml', manifest('half', locked))
    await write('places.geojson', places(['Here']))
    const failed = await run(['apply', 'half.yaml', '--yes', '--no-atomic'])
    expect(failed.exit).toBe(1)
    expect(failed.out).toContain('1 created.\nFailed: 1\n  half_layer (vector_layer): request/invalid')
    expect(failed.out).toContain(
      'Not tried: 1\n  half_style (mapsrv_style), after half_layer\nTo resume: landform apply half.yaml',
    )
    await write('half.yaml', manifest('half', layers('half')))
    expect((await run(['apply', 'half.yaml', '--yes', '--no-atomic'])).out).toMatch(
      /: 2 created\.\n {2}half_layer: 1 feature loaded\n$/,
    )
  })

  it('write events to standard output only', async () => {
    await write('json.yaml', manifest('json'))
    const plan = await run(['plan', 'json.yaml', '--json'])
    expect(linesOf(plan.out).map(({ v, type }) => `${v} ${type}`)).toEqual([
      '1 plan',
      '1 change',
      '1 summary',
    ])
    expect(linesOf(plan.out)[1]).toMatchObject({ action: 'create', key: 'json', cls: 'resource_group' })
    const applied = await run(['apply', 'json.yaml', '--json', '--yes'])
    expect(applied.err).toBe('')
    expect(linesOf(applied.out).slice(-2)).toMatchObject([
      { type: 'outcome', key: 'json', outcome: 'created' },
      { type: 'report', created: 1, interrupted: false },
    ])
  })

  it('complete the running change after Ctrl-C, and exit with 130', async () => {
    const parts = Array.from(
      { length: 30 },
      (_, at) => `          c${at}: { cls: resource_group, display_name: C${at} }`,
    )
    await write('stop.yaml', manifest('stop', `        children:\n${parts.join('\n')}\n`))
    const stop = new AbortController()
    const ran = await run(['apply', 'stop.yaml', '--yes', '--no-atomic', '--concurrency', '1'], {
      interrupt: stop.signal,
      onErr: () => stop.abort(),
    })
    expect([ran.exit, ran.out]).toEqual([130, expect.stringContaining('1 created.\nNot tried: 30\n')])
    expect((await run(['apply', 'stop.yaml', '--yes'])).exit).toBe(0)
    expect((await run(['plan', 'stop.yaml'])).out).toBe('Plan for stop: 0 changes, 32 unchanged.\n')
  })
})

describe('pull', () => {
  it('writes a manifest whose plan changes nothing, and does not overwrite a file', async () => {
    const pulled = await run(['pull', '--root', 'a', '--into', 'pulled'])
    expect([pulled.exit, pulled.out]).toEqual([0, 'pulled/a.yaml: 3 resources\n'])
    const planned = (await run(['plan', 'pulled'])).out
    expect(planned).toContain('data  no longer set by this manifest; the value stays')
    expect(planned).toContain('Plan for a: 1 to update, 3 unchanged.\n')
    const again = await run(['pull', '--root', 'a', '--into', 'pulled'])
    expect([again.exit, again.err]).toEqual([3, expect.stringContaining('pulled/a.yaml already exists')])
    expect((await run(['pull', '--root', 'a', '--into', 'pulled', '--force'])).exit).toBe(0)
  })

  it('reports a missing root', async () => {
    const ran = await run(['pull', '--root', 'nowhere', '--into', 'pulled'])
    expect([ran.exit, ran.err]).toEqual([1, expect.stringContaining('no resource "nowhere"')])
  })
})

describe('invalid input', () => {
  it('is reported with file, line and column, and exit code 3', async () => {
    await write('bad.yaml', manifest('bad').replace('resource_group', 'resource_grup'))
    for (const command of ['validate', 'plan', 'apply']) {
      const ran = await run([command, 'bad.yaml'])
      expect([command, ran.exit]).toEqual([command, 3])
      expect(ran.out + ran.err).toContain('bad.yaml:8:14')
      expect(ran.out + ran.err).toContain('did you mean "resource_group"?')
    }
  })

  it('an unreachable server is reported', async () => {
    const ran = await run(['plan', 'a.yaml', '--server', 'http://127.0.0.1:9'])
    expect([ran.exit, ran.err]).toEqual([1, expect.stringContaining('Cannot reach http://127.0.0.1:9')])
  })

  it('a wrong password is reported without printing it', async () => {
    const ran = await run(['plan', 'a.yaml'], { env: { LANDFORM_PASSWORD: 'sesame' } })
    expect([ran.exit, ran.err]).toEqual([1, expect.stringContaining('auth/bad-credentials')])
    expect(ran.out + ran.err).not.toContain('sesame')
  })

  it('a URL with credentials is refused', async () => {
    const ran = await run(['plan', 'a.yaml', '--server', 'http://u:sesame@127.0.0.1:8080'])
    expect([ran.exit, ran.err]).toEqual([3, expect.stringContaining('LANDFORM_USER and LANDFORM_PASSWORD')])
    expect(ran.err).not.toContain('sesame')
  })

  it('a URL of another service is reported', async () => {
    const ran = await run(['plan', 'a.yaml', '--server', `${server.url}/healthz`])
    expect(ran.exit).toBe(1)
    expect(ran.err).toContain('is not a landform or NextGIS Web server')
  })

  it('the missing permission of a guest is reported', async () => {
    const env = { LANDFORM_USER: '', LANDFORM_PASSWORD: '', LANDFORM_DATA: 'nowhere' }
    const ran = await run(['plan', 'a.yaml'], { env })
    expect([ran.exit, ran.err]).toEqual([1, expect.stringContaining('access/denied')])
  })

  it('unknown commands and options are reported with a suggestion', async () => {
    expect((await run(['plann'])).err).toContain('Did you mean plan?')
    expect(await run(['plan', '--fuse', 'much'])).toMatchObject({
      exit: 3,
      err: expect.stringContaining('percentage'),
    })
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await run(['plan', '--help'])).out).toContain('Examples:')
  })
})

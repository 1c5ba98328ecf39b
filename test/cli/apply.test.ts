import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand, type Surroundings } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-cli-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const manifest = (id: string, children: readonly string[] = []) =>
  [
    `manifest: ${id}`,
    'resources:',
    '  root:',
    '    existing: true',
    '    id: 0',
    '    children:',
    `      ${id}:`,
    '        cls: resource_group',
    `        display_name: ${id}`,
    ...(children.length > 0 ? ['        children:'] : []),
    ...children.map((line) => `          ${line}`),
    '',
  ].join('\n')

const layer = (id: string) =>
  `${id}_layer: { cls: vector_layer, display_name: Places, data: { source: ${id}.geojson } }`

const places = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    { type: 'Feature', properties: { name: 'Here' }, geometry: { type: 'Point', coordinates: [1, 1] } },
  ],
})

async function run(words: readonly string[], more: Partial<Surroundings> = {}): Promise<Ran> {
  const env = administratorEnv(server.url)
  return runCommand(words, { cwd, env, ...more })
}

const write = (name: string, text: string) => writeFile(join(cwd, name), text)
const afterPlan = (out: string) => out.slice(out.indexOf('\n', out.indexOf('Plan for ')) + 1)
const eventsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Adds a rule to a block that the server refuses: it locks out all administrators. */
const locked = (block: string) => {
  const rule = '{ action: deny, principal: group:administrators, scope: "", permission: "", propagate: true }'
  return block.replace('cls: vector_layer,', `cls: vector_layer, permissions: [${rule}],`)
}

describe('apply to a landform server', () => {
  it('changes nothing if one change fails, reports it, and succeeds after the correction', async () => {
    await write('half.yaml', manifest('half', [locked(layer('half'))]))
    await write('half.geojson', places)
    const failed = await run(['apply', 'half.yaml', '--yes'])
    expect(failed.exit).toBe(1)
    expect(failed.err).toMatch(/^failed {3}half_layer: .*$/m)
    expect(afterPlan(failed.out).split('\n')).toEqual([
      'Nothing was changed.',
      'Failed: 1',
      expect.stringMatching(/^ {2}half_layer \(vector_layer\): request\/invalid: resource.permissions: /),
      expect.stringMatching(/^ {6}at half\.yaml:\d+:\d+$/),
      expect.stringMatching(/^ {6}hint: Leave at least one administrator /),
      'To resume: landform apply half.yaml',
      '',
    ])
    expect((await run(['plan', 'half.yaml'])).out).toContain('2 to create')
    await write('half.yaml', manifest('half', [layer('half')]))
    const mended = await run(['apply', 'half.yaml', '--yes'])
    expect([mended.exit, afterPlan(mended.out)]).toEqual([
      0,
      expect.stringMatching(/: 2 created\.\n {2}half_layer: 1 feature loaded\n$/),
    ])
    expect((await run(['plan', 'half.yaml'])).out).toBe('Plan for half: 0 changes, 3 unchanged.\n')
  })

  it('changes nothing after Ctrl-C during an upload, and exits with 130', async () => {
    await write('stop.yaml', manifest('stop', [layer('stop')]))
    await write('stop.geojson', places)
    const stop = new AbortController()
    const ran = await run(['apply', 'stop.yaml', '--yes'], {
      interrupt: stop.signal,
      onErr: () => stop.abort(),
    })
    expect([ran.exit, ran.err, afterPlan(ran.out)]).toEqual([
      130,
      'uploaded stop_layer\n',
      'Nothing was changed.\nInterrupted.\nTo resume: landform apply stop.yaml\n',
    ])
    expect((await run(['apply', 'stop.yaml', '--yes'])).exit).toBe(0)
  })

  it('draws a tree of what happens on a terminal, clears it, and shows nothing of it with --quiet', async () => {
    await write('drawn.yaml', manifest('drawn', [layer('drawn')]))
    await write('drawn.geojson', places)
    const drawn = await run(['apply', 'drawn.yaml', '--yes'], { redraws: true })
    const lines = drawn.err.replaceAll('\u001b', 'ESC')
    expect([drawn.exit, lines]).toEqual([
      0,
      expect.stringMatching(
        /2 changes sent in one request, .*ESC\[K\r\n {2}· \+ Main resource group \/ drawn /,
      ),
    ])
    expect(lines).toMatch(/↑ \+ drawn_layer {2}\d+ B uploaded[\s\S]*\rESC\[2AESC\[JESC\[\?25h$/)
    await write('drawn.yaml', manifest('drawn', [layer('drawn').replace('Places', 'All places')]))
    const quiet = await run(['apply', 'drawn.yaml', '--yes', '--quiet'], { redraws: true })
    expect([quiet.exit, quiet.err, quiet.out]).toEqual([
      0,
      '',
      expect.stringMatching(/^Done in .* s: 1 updated\.\n$/),
    ])
  })

  it.each([
    ['Ctrl-C', '\u0003', 130],
    ['Ctrl-D', '\u0004', 1],
    ['Enter', '', 1],
    ['n', 'n', 1],
    ['yes', 'yes', 0],
  ])('leaves the question after %s with the exit code of that answer', async (_, answer, exit) => {
    await write('asked.yaml', manifest('asked'))
    const ran = await run(['apply', 'asked.yaml'], { answer, editsLines: true })
    expect([ran.exit, ran.err.includes('Nothing was changed.')]).toEqual([exit, exit !== 0])
  })

  it('reports every change as an event, including skipped ones', async () => {
    await write('events.yaml', manifest('events', [locked(layer('events'))]))
    await write('events.geojson', places)
    const failed = await run(['apply', 'events.yaml', '--yes', '--json'])
    expect(eventsOf(failed.out).slice(-3)).toMatchObject([
      { type: 'outcome', key: 'events', outcome: 'skipped', because: 'events_layer' },
      {
        type: 'outcome',
        key: 'events_layer',
        outcome: 'failed',
        problem: { code: 'request/invalid' },
      },
      { type: 'report', failed: 1, skipped: 1, interrupted: false, atomic: true },
    ])
    await write('events.yaml', manifest('events', [layer('events')]))
    const done = await run(['apply', 'events.yaml', '--yes', '--json'])
    expect([done.exit, done.err]).toEqual([0, ''])
    expect(eventsOf(done.out).slice(-5)).toMatchObject([
      { type: 'prepared', key: 'events_layer' },
      { type: 'sending', changes: 2 },
      { type: 'outcome', key: 'events', outcome: 'created' },
      { type: 'outcome', key: 'events_layer', outcome: 'created' },
      { type: 'report', created: 2, atomic: true },
    ])
  })

  it('skips resources that changed during the confirmation with --partial', async () => {
    const groups = (name: string) =>
      ['a', 'b'].map((key) => `late_${key}: { cls: resource_group, display_name: ${key} ${name} }`)
    await write('late.yaml', manifest('late', groups('old')))
    await run(['apply', 'late.yaml', '--yes'])
    const found = await server.admin('GET', '/api/resource/search/?keyname=late_a')
    const id = (await found.json<{ resource: { id: number } }[]>())[0]?.resource.id
    await write('late.yaml', manifest('late', groups('new')))
    // Between the question and the answer somebody else writes.
    let meddling: Promise<unknown> | undefined
    const meddle = (description: string) => () => {
      meddling ??= server.admin('PUT', `/api/resource/${id}`, { resource: { description } })
    }
    const answers = async () => {
      await meddling
      return 'yes'
    }
    const refused = await run(['apply', 'late.yaml'], { answer: answers, onErr: meddle('once') })
    expect([refused.exit, refused.out]).toEqual([
      1,
      expect.stringContaining(
        'Nothing was changed.\nFailed: 1\n  late_a (resource_group): apply/stale: "late_a" was changed',
      ),
    ])
    expect(refused.out).toContain('hint: Plan again, or skip it with --partial.')
    meddling = undefined
    const partial = await run(['apply', 'late.yaml', '--partial'], {
      answer: answers,
      onErr: meddle('twice'),
    })
    expect([partial.exit, afterPlan(partial.out)]).toEqual([
      1,
      expect.stringMatching(/^Done in .*: 1 updated\.\nFailed: 1\n {2}late_a /),
    ])
    expect((await run(['apply', 'late.yaml', '--yes'])).exit).toBe(0)
  })
})
